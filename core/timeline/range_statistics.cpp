#include "core/timeline/range_statistics.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace overlap {
namespace {

/// Spans that come in order, joined where they touch, so that a busy stream of a million events stays small.
void append(std::vector<TimeRange>& spans, TimeRange span) {
    if (span.length_ns() <= 0) return;
    if (!spans.empty() && span.begin_ns <= spans.back().end_ns && span.begin_ns >= spans.back().begin_ns)
        spans.back().end_ns = std::max(spans.back().end_ns, span.end_ns);
    else
        spans.push_back(span);
}

/// What of `span` the others leave free.
void append_uncovered(std::vector<TimeRange>& spans, TimeRange span, const IntervalUnion& others) {
    for (const TimeRange other : spans_in(others, span)) {
        append(spans, {span.begin_ns, other.begin_ns});
        span.begin_ns = std::max(span.begin_ns, other.end_ns);
    }
    append(spans, span);
}

bool is_event(EventRole role) {
    return role != EventRole::exposed && role != EventRole::idle;
}

}  // namespace

RangeSums::RangeSums(std::shared_ptr<const Timeline> timeline) : timeline_(std::move(timeline)) {
    const auto lanes = timeline_->lanes();
    for (std::uint32_t row = 0; row < lanes.size();) {
        LaneSums& sums = lanes_.emplace_back();
        std::vector<TimeRange> joined;
        do {
            sums.rows.push_back(row_of(lanes[row], row, joined));
        } while (++row < lanes.size() && lanes[row].depth > 0);
        sums.joined = IntervalUnion(std::move(joined));
        sums.busy = SpanSums(sums.joined);
    }
    join_devices();
}

RangeSums::Row RangeSums::row_of(const Lane& lane, std::uint32_t number, std::vector<TimeRange>& joined) {
    Row row;
    row.lane = number;
    std::vector<TimeRange> busy, exposed;
    const bool has_stalls = !std::ranges::all_of(lane.role, is_event);
    std::uint32_t events = 0;
    for (std::uint32_t index = 0; index < lane.size(); ++index) {
        const TimeRange time = lane.event(index);
        if (has_stalls) row.events_before.push_back(events);
        if (lane.role[index] == EventRole::exposed) append(exposed, time);
        if (!is_event(lane.role[index])) continue;
        ++events;
        append(busy, time);
        if (lane.exposed_ns[index] <= 0) continue;
        if (lane.description.computing)
            append_uncovered(exposed, time, *lane.description.computing);
        else
            append(exposed, {time.end_ns - lane.exposed_ns[index], time.end_ns});
    }
    if (has_stalls) row.events_before.push_back(events);
    std::ranges::copy(busy, std::back_inserter(joined));
    // Of other rows only the joined times count.
    if (lane.description.kind == LaneKind::process_group && lane.depth == 0) row.busy = SpanSums(std::move(busy));
    row.exposed = SpanSums(std::move(exposed));
    return row;
}

void RangeSums::join_devices() {
    struct Spans {
        std::vector<TimeRange> compute, communication;
        std::shared_ptr<const IntervalUnion> measured;  // copies on a compute stream hide nothing
        IntervalUnion computing;
    };
    std::map<std::uint32_t, Spans> spans;
    const auto description_of = [this](const LaneSums& lane) -> const LaneDescription& {
        return timeline_->lanes()[lane.rows.front().lane].description;
    };
    for (const LaneSums& lane : lanes_) {
        const LaneDescription& description = description_of(lane);
        if (description.kind == LaneKind::other) continue;
        const bool computes = description.kind == LaneKind::compute;
        Spans& device = spans[description.device];
        std::ranges::copy(lane.joined.spans(), std::back_inserter(computes ? device.compute : device.communication));
        device.measured = description.computing;
        devices_[description.device].has_compute_lane |= computes;
    }
    for (auto& [number, device] : spans) {
        DeviceSums& sums = devices_[number];
        sums.is_measured = device.measured != nullptr;
        device.computing = sums.is_measured ? *device.measured : IntervalUnion(std::move(device.compute));
        const IntervalUnion communicating(std::move(device.communication));
        sums.compute = SpanSums(device.computing);
        sums.communicating = SpanSums(communicating);
        sums.overlapped = SpanSums(intersection(communicating, device.computing));
    }
    for (LaneSums& lane : lanes_) {
        const LaneDescription& description = description_of(lane);
        if (description.kind == LaneKind::process_group)
            lane.overlapped = SpanSums(intersection(lane.joined, spans[description.device].computing));
        lane.joined = {};
    }
}

std::uint64_t RangeSums::Row::events(const Lane& of, TimeRange range) const {
    const std::uint32_t first = of.first_ending_after(range.begin_ns);
    const auto behind = std::lower_bound(of.start_ns.begin() + first, of.start_ns.end(), range.end_ns);
    const auto last = static_cast<std::uint32_t>(behind - of.start_ns.begin());
    return events_before.empty() ? last - first : events_before[last] - events_before[first];
}

RangeStatistics RangeSums::of(TimeRange range) const {
    RangeStatistics sum;
    for (const LaneSums& lane : lanes_) {
        RangeStatistics::LaneShare& share = sum.lanes.emplace_back();
        share.lane = lane.rows.front().lane;
        const LaneDescription& description = timeline_->lanes()[share.lane].description;
        for (const Row& row : lane.rows) {
            share.events += row.events(timeline_->lanes()[row.lane], range);
            share.exposed_ns += row.exposed.within_ns(range);
        }
        share.busy_ns = lane.busy.within_ns(range);
        share.overlapped_ns = lane.overlapped.within_ns(range);
        sum.events += share.events;
        // Rows below the first hold what overlaps it; counting them would make a lane more than fully busy.
        sum.communication_ns += lane.rows.front().busy.within_ns(range);
        if (description.kind == LaneKind::compute && !description.computing) sum.exposed_ns += share.exposed_ns;
    }
    for (const auto& [number, device] : devices_) {
        const std::int64_t compute_ns = device.compute.within_ns(range);
        const std::int64_t communicating_ns = device.communicating.within_ns(range);
        const std::int64_t overlapped_ns = device.overlapped.within_ns(range);
        sum.devices += device.has_compute_lane || compute_ns > 0;
        sum.compute_ns += compute_ns;
        sum.communicating_ns += communicating_ns;
        sum.overlapped_ns += overlapped_ns;
        if (device.is_measured) sum.exposed_ns += communicating_ns - overlapped_ns;
    }
    return sum;
}

}  // namespace overlap
