#include "ui/timeline/event_steps.h"

#include <algorithm>

#include "core/timeline/find_events.h"

namespace overlap::ui {
namespace {

std::int64_t middleOf(TimeRange range) {
    return range.begin_ns + range.length_ns() / 2;
}

/// The event of `lane`, which is not empty, that is nearest to `time_ns`.
std::uint32_t nearestEvent(const Lane& lane, std::int64_t time_ns) {
    const std::uint32_t event = std::min(lane.first_ending_after(time_ns), lane.size() - 1);
    if (event > 0 && lane.start_ns[event] - time_ns > time_ns - lane.end_ns[event - 1]) return event - 1;
    return event;
}

}  // namespace

EventLocation steppedInLane(const Timeline& timeline, EventLocation selected, int step) {
    const std::int64_t next = static_cast<std::int64_t>(selected.event) + step;
    if (next < 0 || next >= timeline.lanes()[selected.lane].size()) return {};
    return {selected.lane, static_cast<std::uint32_t>(next)};
}

EventLocation steppedAcrossLanes(const Timeline& timeline, const LaneRows& rows, TimeRange visible,
                                 EventLocation selected, int step) {
    const std::int64_t time_ns = middleOf(selected.valid() ? timeline.event(selected) : visible);
    std::int64_t row = selected.valid() ? static_cast<std::int64_t>(rows.rowOfLane[selected.lane]) + step : 0;
    for (; row >= 0 && row < static_cast<std::int64_t>(rows.laneOfRow.size()); row += step < 0 ? -1 : 1) {
        const std::uint32_t lane = rows.laneOfRow[static_cast<std::size_t>(row)];
        if (!timeline.lanes()[lane].empty()) return {lane, nearestEvent(timeline.lanes()[lane], time_ns)};
    }
    return {};
}

EventLocation steppedByExposure(const Timeline& timeline, EventLocation selected, int step) {
    const std::vector<EventLocation> ranked = most_exposed_events(timeline);
    if (ranked.empty()) return {};
    const auto count = static_cast<std::ptrdiff_t>(ranked.size());
    const auto found = std::ranges::find(ranked, selected);
    const std::ptrdiff_t place = found - ranked.begin();
    const std::ptrdiff_t next = found == ranked.end() ? (step > 0 ? 0 : count - 1) : (place + step + count) % count;
    return ranked[static_cast<std::size_t>(next)];
}

EventLocation steppedAlongFlow(const Timeline& timeline, std::span<const TimelineArrow> arrows, quint32 reference,
                               int step) {
    for (const TimelineArrow& arrow : arrows) {
        if ((step > 0 ? arrow.from : arrow.to) != reference) continue;
        const EventLocation next = anchorOf(timeline, step > 0 ? arrow.to : arrow.from);
        if (next.valid()) return next;
    }
    return {};
}

}  // namespace overlap::ui
