#include "ui/timeline/range_measurement.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

QString timeText(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

double share(std::int64_t part_ns, std::int64_t whole_ns) {
    return whole_ns <= 0 ? 0 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

/// Milliseconds to the nanosecond, for programs.
QString milliseconds(std::int64_t time_ns) {
    return QString::number(static_cast<double>(time_ns) * 1e-6, 'f', 6);
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

QString measurementText(const RangeStatistics& sums, TimeRange range) {
    const std::int64_t whole_ns = range.length_ns() * std::max(1u, sums.devices);
    QStringList parts{QChar(0x0394) + QStringLiteral(" ") + timeText(range.length_ns()),
                      translated("%1 events").arg(formatCount(static_cast<std::int64_t>(sums.events)))};
    if (sums.devices > 0 && whole_ns > 0) {
        parts << translated("compute %1").arg(formatPercent(share(sums.compute_ns, whole_ns)));
        parts << translated("exposed %1").arg(formatPercent(share(sums.exposed_ns, whole_ns)));
    }
    if (sums.communicating_ns > 0)
        parts << translated("overlapped %1").arg(formatPercent(share(sums.overlapped_ns, sums.communicating_ns)));
    return parts.join(QStringLiteral(" · "));
}

QStringList laneFigures(const Timeline& timeline, const RangeStatistics& sums, TimeRange range) {
    QStringList figures(static_cast<qsizetype>(timeline.lanes().size()));
    for (const RangeStatistics::LaneShare& lane : sums.lanes) {
        QString text = timeText(lane.busy_ns);
        const bool group = timeline.lanes()[lane.lane].description.kind == LaneKind::process_group;
        if (group && lane.busy_ns > 0)
            text += QStringLiteral(" · ") +
                    translated("%1 hidden").arg(formatPercent(share(lane.overlapped_ns, lane.busy_ns)));
        else
            text += QStringLiteral(" · ") + formatPercent(share(lane.busy_ns, range.length_ns()));
        figures[static_cast<qsizetype>(lane.lane)] = text;
    }
    return figures;
}

QString measurementTable(const Timeline& timeline, const RangeStatistics& sums, TimeRange range) {
    QStringList lines{QStringLiteral("lane\tevents\tbusy_ms\tbusy_share\texposed_ms\toverlapped_ms")};
    const auto line = [&](const QString& title, std::uint64_t events, std::int64_t busy, std::int64_t exposed,
                          const QString& overlapped) {
        lines << QStringList{title,
                             QString::number(events),
                             milliseconds(busy),
                             QString::number(share(busy, range.length_ns()), 'f', 4),
                             milliseconds(exposed),
                             overlapped}
                     .join(u'\t');
    };
    for (const RangeStatistics::LaneShare& lane : sums.lanes) {
        const LaneDescription& description = timeline.lanes()[lane.lane].description;
        const bool group = description.kind == LaneKind::process_group;
        line(QString::fromStdString(description.title), lane.events, lane.busy_ns, lane.exposed_ns,
             group ? milliseconds(lane.overlapped_ns) : QString());
    }
    line(translated("all communication"), sums.events, sums.communicating_ns, sums.exposed_ns,
         milliseconds(sums.overlapped_ns));
    lines << QStringLiteral("range_ms\t%1\t%2").arg(milliseconds(range.begin_ns), milliseconds(range.end_ns));
    return lines.join(u'\n') + u'\n';
}

QString eventTable(const Timeline& timeline, EventLocation location) {
    const Lane& lane = timeline.lanes()[location.lane];
    const TimeRange time = timeline.event(location);
    const bool open = timeline.is_open_ended(location);
    return QStringLiteral("name\tlane\tstart_ms\tduration_ms\texposed_ms\n") +
           QStringList{textOf(timeline.event_name(location)), QString::fromStdString(lane.description.title),
                       milliseconds(time.begin_ns), open ? QString() : milliseconds(time.length_ns()),
                       open ? QString() : milliseconds(timeline.exposed_ns(location))}
               .join(u'\t') +
           u'\n';
}

void RangeMeasurement::setTimeline(std::shared_ptr<const Timeline> timeline) {
    *this = {};
    timeline_ = std::move(timeline);
}

void RangeMeasurement::measure(std::optional<TimeRange> range) {
    if (range == range_) return;
    range_ = range;
    if (range && !sums_) sums_.emplace(timeline_);
    measured_ = range ? sums_->of(*range) : RangeStatistics();
    text_ = range ? measurementText(measured_, *range) : QString();
    figures_ = range ? laneFigures(*timeline_, measured_, *range) : QStringList();
}

QString RangeMeasurement::table() const {
    return range_ ? measurementTable(*timeline_, measured_, *range_) : QString();
}

}  // namespace overlap::ui
