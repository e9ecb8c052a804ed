#include "ui/passes/number_slider.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr int positions = 400;
constexpr double longest_even = 50;  ///< ways longer than this are gone in growing steps
constexpr int significant_digits = 3;

}  // namespace

NumberSlider::NumberSlider(const PassOption& option, QWidget* parent)
    : QSlider(Qt::Horizontal, parent),
      least_(option.minimum),
      most_(option.usual_maximum),
      whole_(option.type == PassOption::Type::integer),
      growing_(most_ - least_ > longest_even) {
    setRange(0, positions);
    setSingleStep(positions / 100);
    setPageStep(positions / 10);
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QSlider::valueChanged, this, [this](int position) { emit moved(valueAt(position)); });
}

bool NumberSlider::fits(const PassOption& option) {
    const bool number = option.type == PassOption::Type::integer || option.type == PassOption::Type::number;
    return number && std::isfinite(option.minimum) && option.usual_maximum > option.minimum;
}

void NumberSlider::showValue(const OptionValue& value) {
    if (isSliderDown()) return;
    const QSignalBlocker blocker(this);
    setValue(positionOf(number_of(value).value_or(least_)));
}

int NumberSlider::positionOf(double value) const {
    const double way = std::clamp(value, least_, most_) - least_, whole_way = most_ - least_;
    const double share = growing_ ? std::log1p(way) / std::log1p(whole_way) : way / whole_way;
    return static_cast<int>(std::lround(share * positions));
}

OptionValue NumberSlider::valueAt(int position) const {
    const double share = static_cast<double>(position) / positions, whole_way = most_ - least_;
    const double value = least_ + (growing_ ? std::expm1(share * std::log1p(whole_way)) : share * whole_way);
    const double readable = QString::number(value, 'g', significant_digits).toDouble();
    return whole_ ? OptionValue(std::int64_t{std::llround(readable)}) : OptionValue(readable);
}

}  // namespace overlap::ui
