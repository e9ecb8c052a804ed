#include <algorithm>
#include <cmath>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/times_apart.h"
#include "ui/widgets/charts/step_peak_chart.h"
#include "ui/widgets/charts/step_peak_metrics.h"

// What StepPeakChart says of its points, and of what the device holds.

namespace overlap::ui {
namespace {

using Metrics = StepPeakMetrics;

constexpr double device_text_gap = 4;     ///< from its line
constexpr double same_step_share = 1e-5;  ///< steps that differ by less are one: no run would show it

}  // namespace

void StepPeakChart::setDeviceMemory(std::int64_t bytes) {
    if (device_bytes_ == bytes) return;
    device_bytes_ = bytes;
    placeNames();
}

void StepPeakChart::setFastestShown(bool shown) {
    fastest_shown_ = shown;
    placeNames();
}

int StepPeakChart::fastestWithin(double peak_bytes) const {
    int fastest = -1;
    for (std::size_t index = 0; index < points_.size(); ++index) {
        const Point& point = points_[index];
        if (point.compared || static_cast<double>(point.peak_bytes) > peak_bytes) continue;
        if (fastest < 0 || point.step_ms < points_[static_cast<std::size_t>(fastest)].step_ms)
            fastest = static_cast<int>(index);
    }
    return fastest;
}

void StepPeakChart::setLimit(std::int64_t bytes) {
    if (limit_bytes_ == bytes) return;
    limit_bytes_ = bytes;
    placeNames();
}

std::int64_t StepPeakChart::limit() const {
    return limit_bytes_ > 0 ? limit_bytes_ : device_bytes_;
}

/// The point with the star; -1 for none.
int StepPeakChart::starred() const {
    return fastest_shown_ && limit() > 0 ? fastestWithin(static_cast<double>(limit())) : -1;
}

QString StepPeakChart::fastestText(double peak_bytes) const {
    const int fastest = fastestWithin(peak_bytes);
    return fastest < 0 ? tr("none of these stays within %1").arg(formatBytes(peak_bytes))
                       : tr("fastest within %1: %2")
                             .arg(formatBytes(peak_bytes), text(points_[static_cast<std::size_t>(fastest)]));
}

QString StepPeakChart::figuresOf(const Point& point) const {
    std::vector<double> steps{point.step_ms};
    for (const Point& other : points_)
        if (std::abs(other.step_ms - point.step_ms) > same_step_share * point.step_ms) steps.push_back(other.step_ms);
    return tr("%1, %2").arg(formatTimesApart(steps).front(), formatBytes(static_cast<double>(point.peak_bytes)));
}

QString StepPeakChart::titleOf(int point) const {
    const QString title = shownName(named(point).title);
    return point >= 0 && point == starred() ? QStringLiteral("★ ") + title : title;
}

/// The point whose figures stand above the axes; -1 for none.
int StepPeakChart::toldPoint() const {
    if (hovered_ >= 0) return hovered_;
    return hasFocus() && !peak_at_pointer_ ? focused_ : -1;
}

QString StepPeakChart::headline() const {
    if (const int told = toldPoint(); told >= 0) return text(points_[static_cast<std::size_t>(told)]);
    if (peak_at_pointer_) return fastestText(*peak_at_pointer_);
    if (limit_bytes_ > 0 && !points_.empty()) return fastestText(static_cast<double>(limit_bytes_));
    const QString axes = tr("step ↑  peak memory →");
    return steps_text_.isEmpty() ? axes : QStringLiteral("%1  ·  %2").arg(axes, steps_text_);
}

QString StepPeakChart::shapesText() const {
    QStringList shapes;
    const auto compared = std::ranges::count_if(points_, &Point::compared);
    if (!diamonds_text_.isEmpty() && compared > 0 && compared < std::ssize(points_))
        shapes.append(QStringLiteral("● %1 · ◇ %2").arg(dots_text_, diamonds_text_));
    if (starred() >= 0) shapes.append(tr("★ fastest within %1").arg(formatBytes(static_cast<double>(limit()))));
    return shapes.join(QStringLiteral(" · "));
}

QString StepPeakChart::deviceText() const {
    const QString text = tr("device holds %1").arg(formatBytes(static_cast<double>(device_bytes_)));
    return static_cast<double>(device_bytes_) < peaks_.highest ? text : text + QStringLiteral(" →");
}

/// Left of the device's line, or at the end of the axis that does not reach it; nothing where there is no such line.
QRectF StepPeakChart::placeOfDeviceText() const {
    const auto device = static_cast<double>(device_bytes_);
    if (points_.empty() || device <= peaks_.lowest) return {};
    const QFontMetricsF metrics(textFont(smallTextPx));
    const double width = metrics.horizontalAdvance(deviceText());
    // Where the chart is narrower than the words, the axis and the tool tip have to do.
    if (width > area().width()) return {};
    const double right = std::min(xOf(device) - device_text_gap, area().right());
    return {std::max(area().left(), right - width), area().top(), width, metrics.height()};
}

}  // namespace overlap::ui
