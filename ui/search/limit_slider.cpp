#include "ui/search/limit_slider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

/// A slider counts in whole numbers, too few for bytes.
constexpr std::int64_t unit_bytes = 1024;
constexpr int steps_of_range = 100;  ///< by arrow keys
constexpr double knob_radius = 6, tick_height = 3, text_gap = 6;
constexpr int least_height = 20;
constexpr double least_move = 3;  ///< of a pointer that moves the knob

/// Rounded up, so that a plan with this peak is within.
int valueOf(std::int64_t bytes) {
    return static_cast<int>(
        std::clamp<std::int64_t>((bytes + unit_bytes - 1) / unit_bytes, 0, std::numeric_limits<int>::max()));
}

}  // namespace

LimitSlider::LimitSlider(const FrontChart& chart, QWidget* parent) : QSlider(Qt::Horizontal, parent), chart_(chart) {
    setObjectName("limitSlider");
    setAccessibleName(tr("Limit of the peak, along the chart"));
    setToolTip(
        tr("Drag to limit the peak: the best plan that was found within it is chosen, and the next search stays "
           "within it"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&chart, &FrontChart::moved, this, qOverload<>(&LimitSlider::update));
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&LimitSlider::update));
    connect(this, &QSlider::valueChanged, this, &LimitSlider::takeValue);
}

void LimitSlider::setPeaks(std::vector<std::int64_t> peaks) {
    peaks_ = std::move(peaks);
    const QSignalBlocker quiet(this);
    setRange(valueOf(peaks_.front()), valueOf(peaks_.back()));
    setSingleStep(std::max(1, (maximum() - minimum()) / steps_of_range));
    update();
}

void LimitSlider::showLimit(std::optional<std::int64_t> bytes) {
    const QSignalBlocker quiet(this);
    limit_ = bytes;
    setValue(bytes ? valueOf(*bytes) : maximum());
    describe();
    update();
}

void LimitSlider::takeValue() {
    const std::optional<std::int64_t> chosen =
        value() >= maximum() ? std::nullopt : std::optional(value() * unit_bytes);
    if (chosen == limit_) return;
    limit_ = chosen;
    describe();
    update();
    emit limitChosen(limit_);
}

QString LimitSlider::text() const {
    return limit_ ? tr("at most %1").arg(formatBytes(static_cast<double>(*limit_))) : tr("any peak");
}

void LimitSlider::describe() {
    setAccessibleDescription(text());
}

QSize LimitSlider::sizeHint() const {
    return {200, std::max(least_height, QFontMetrics(textFont(smallTextPx)).height() + 2)};
}

double LimitSlider::xOf(int value) const {
    return chart_.xOfPeak(value * unit_bytes);
}

double LimitSlider::knobX() const {
    if (!limit_) return xOf(maximum());
    const QRectF axes = chart_.axes();
    return std::clamp(chart_.xOfPeak(*limit_), axes.left(), std::max(axes.left(), axes.right()));
}

void LimitSlider::drag(std::int64_t bytes) {
    setValue(std::clamp(valueOf(bytes), minimum(), maximum()));
    takeValue();
}

void LimitSlider::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.background);
    if (peaks_.size() < 2) return;
    const double middle = height() / 2.0, first = xOf(minimum()), last = xOf(maximum());
    const double knob = knobX(), left = std::min(first, knob), right = std::max(last, knob);
    painter.setPen(QPen(theme.line, 2));
    painter.drawLine(QPointF(knob, middle), QPointF(right, middle));
    painter.setPen(QPen(theme.accent, 2));
    painter.drawLine(QPointF(left, middle), QPointF(knob, middle));
    painter.setPen(theme.memory);
    for (const std::int64_t peak : peaks_) {
        const double x = chart_.xOfPeak(peak);
        painter.drawLine(QPointF(x, middle - tick_height), QPointF(x, middle + tick_height));
    }
    painter.setPen(hasFocus() ? QPen(theme.text, 2) : QPen(theme.background, 2));
    painter.setBrush(theme.accent);
    // A limit off the axis is beyond the end that the knob points over.
    const double beyond = limit_ ? chart_.xOfPeak(*limit_) - knob : 0;
    if (std::abs(beyond) < 1) {
        painter.drawEllipse(QPointF(knob, middle), knob_radius, knob_radius);
    } else {
        const double tip = beyond < 0 ? -knob_radius : knob_radius;
        painter.drawPolygon(QPolygonF({QPointF(knob + tip, middle), QPointF(knob - tip, middle - knob_radius),
                                       QPointF(knob - tip, middle + knob_radius)}));
    }
    painter.setFont(textFont(smallTextPx));
    const double width = painter.fontMetrics().horizontalAdvance(text());
    const bool fits_right = knob + knob_radius + text_gap + width <= this->width();
    const QRectF place(
        fits_right ? knob + knob_radius + text_gap : std::max(0.0, knob - knob_radius - text_gap - width), 0, width,
        height());
    painter.fillRect(place, theme.background);
    painter.setPen(theme.text);
    painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text());
}

void LimitSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setSliderDown(true);
    const double x = event->position().x();
    pressed_at_.reset();
    if (std::abs(x - knobX()) <= knob_radius)
        pressed_at_ = x;
    else
        drag(chart_.peakAt(x));
}

void LimitSlider::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x();
    if (!isSliderDown() || (pressed_at_ && std::abs(x - *pressed_at_) < least_move)) return;
    pressed_at_.reset();
    drag(chart_.peakAt(x));
}

void LimitSlider::mouseReleaseEvent(QMouseEvent*) {
    setSliderDown(false);
}

void LimitSlider::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const bool up = key == Qt::Key_PageUp, down = key == Qt::Key_PageDown;
    if (up || down) {
        int next = up ? maximum() : minimum();
        for (const std::int64_t peak : peaks_) {
            const int at = valueOf(peak);
            if (up && at > value()) next = std::min(next, at);
            if (down && at < value()) next = std::max(next, at);
        }
        setValue(next);
    } else {
        QSlider::keyPressEvent(event);
    }
    // A limit beyond an end has its knob there, and a key that leads there takes the end itself.
    const bool to_right = up || key == Qt::Key_End || key == Qt::Key_Right || key == Qt::Key_Up;
    if ((to_right && value() == maximum()) || (key == Qt::Key_Home && value() == minimum())) takeValue();
}

}  // namespace overlap::ui
