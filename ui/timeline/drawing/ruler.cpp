#include "ui/timeline/drawing/ruler.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr double smallestSpacing = 84;
constexpr double least_gap = 4;     ///< between labels
constexpr double right_margin = 8;  ///< that a label may take beside the ruler

/// Ticks of a ruler whose labels do not touch; `axis` in logical pixels.
std::int64_t stepOf(const TimeAxis& axis) {
    const QFontMetricsF metrics(numberFont(smallTextPx));
    std::int64_t step = tick_step_ns(axis, smallestSpacing);
    const double label =
        metrics.horizontalAdvance(QString::fromStdString(tick_label(axis.range.end_ns, step, axis.range.end_ns)));
    if (label + 16 > smallestSpacing) step = tick_step_ns(axis, label + 16);
    return step;
}

}  // namespace

std::vector<int> gridColumns(const Timeline& timeline, const TimeAxis& deviceAxis, double pixelRatio) {
    if (!timeline.has_times()) return {};
    const std::int64_t step = stepOf({deviceAxis.range, deviceAxis.width_px / pixelRatio});
    std::vector<int> columns;
    for (const Tick& tick : ticks(deviceAxis, step)) {
        const int x = static_cast<int>(std::floor(tick.x_px));
        if (x >= 0 && x < static_cast<int>(deviceAxis.width_px)) columns.push_back(x);
    }
    return columns;
}

QString withoutTimesText(const Timeline& timeline) {
    if (timeline.has_times()) return {};
    return QCoreApplication::translate("TimelineView", "No times: all is drawn at one moment");
}

std::vector<RulerLabel> rulerLabels(const QRect& place, TimeRange range) {
    const TimeAxis axis{range, static_cast<double>(place.width())};
    const std::int64_t step = stepOf(axis);
    const QFontMetricsF metrics(numberFont(smallTextPx));
    const double first = place.left(), last = place.right() + right_margin;
    std::vector<RulerLabel> labels;
    double previous_end = first - least_gap;
    for (const Tick& tick : ticks(axis, step)) {
        const QString text = QString::fromStdString(tick_label(tick.time_ns, step, range.end_ns));
        const double width = metrics.horizontalAdvance(text);
        const double wanted = place.left() + std::floor(tick.x_px) - width / 2;
        const double left = std::min(std::max(wanted, first), last - width);
        if (left < previous_end + least_gap) {
            // One that is moved gives way to one that stands at its tick.
            if (labels.empty() || left < wanted) continue;
            labels.pop_back();
        }
        labels.push_back({text, QRectF(left, place.top(), width, place.height() - 4)});
        previous_end = left + width;
    }
    return labels;
}

void paintRuler(QPainter& painter, const QRect& place, const Timeline& timeline, TimeRange range, const Theme& theme,
                std::span<const QRectF> taken) {
    if (const QString text = withoutTimesText(timeline); !text.isEmpty()) {
        painter.setFont(textFont(smallTextPx));
        painter.setPen(theme.dim);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
        return;
    }
    const TimeAxis axis{range, static_cast<double>(place.width())};
    for (const Tick& tick : ticks(axis, stepOf(axis)))
        painter.fillRect(QRectF(place.left() + std::floor(tick.x_px), place.bottom() - 3, 1, 4), theme.line);
    painter.setFont(numberFont(smallTextPx));
    painter.setPen(theme.dim);
    const auto is_covered = [taken](const RulerLabel& label) {
        return std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(label.place); });
    };
    for (const RulerLabel& label : rulerLabels(place, range))
        if (!is_covered(label))
            painter.drawText(label.place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label.text);
}

QString momentText(std::int64_t time_ns, const TimeAxis& axis) {
    std::int64_t step = 1;
    while (static_cast<double>(step) * 10 <= axis.ns_per_px()) step *= 10;
    return QString::fromStdString(tick_label(time_ns / step * step, step, axis.range.end_ns));
}

QString durationText(const Timeline& timeline, EventLocation location) {
    const TimeRange event = timeline.event(location);
    const auto text = [](std::int64_t time_ns) { return formatTime(static_cast<double>(time_ns) * 1e-6); };
    if (!timeline.is_open_ended(location)) return text(event.length_ns());
    return QCoreApplication::translate("TimelineView", "since %1").arg(text(event.begin_ns));
}

}  // namespace overlap::ui
