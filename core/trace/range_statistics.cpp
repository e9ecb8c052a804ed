#include "core/trace/range_statistics.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/trace/interval_union.h"

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

TimeRange intersection(TimeRange a, TimeRange b) {
    return {std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)};
}

/// Sums one row into its lane's share and the totals.
void add_row(const Lane& lane, TimeRange range, RangeStatistics& sum, RangeStatistics::LaneShare& share,
             std::vector<TimeRange>& busy) {
    const LaneKind kind = lane.description.kind;
    for (std::uint32_t index = lane.first_ending_after(range.begin_ns);
         index < lane.size() && lane.start_ns[index] < range.end_ns; ++index) {
        const TimeRange inside = intersection(lane.event(index), range);
        const std::int64_t shared = std::max<std::int64_t>(0, inside.length_ns());
        const EventRole role = lane.role[index];
        if (role == EventRole::exposed) share.exposed_ns += shared;
        if (role == EventRole::exposed || role == EventRole::idle) continue;
        ++sum.events;
        ++share.events;
        append(busy, inside);
        if (lane.exposed_ns[index] > 0 && lane.description.computing)
            share.exposed_ns += shared - overlap_ns(inside, *lane.description.computing);
        else if (lane.exposed_ns[index] > 0)
            share.exposed_ns += overlap_ns({lane.end_ns[index] - lane.exposed_ns[index], lane.end_ns[index]}, range);
        // Rows below the first hold what overlaps it; counting them would make a lane more than fully busy.
        if (lane.depth > 0) continue;
        if (kind == LaneKind::process_group) sum.communication_ns += shared;
    }
}

/// What a GPU does in the range.
struct DeviceSpans {
    std::vector<TimeRange> compute, communication;
    std::shared_ptr<const IntervalUnion> measured;  ///< when it computed, where that was measured
    bool has_compute_lane = false;
    IntervalUnion computing;
};

}  // namespace

RangeStatistics range_statistics(const Timeline& timeline, TimeRange range) {
    RangeStatistics sum;
    std::map<std::uint32_t, DeviceSpans> devices;
    std::vector<IntervalUnion> covered;  // by share
    const auto lanes = timeline.lanes();
    for (std::uint32_t first = 0; first < lanes.size();) {
        RangeStatistics::LaneShare share;
        share.lane = first;
        const LaneDescription& description = lanes[first].description;
        std::vector<TimeRange> busy;
        std::uint32_t row = first;
        do {
            add_row(lanes[row], range, sum, share, busy);
        } while (++row < lanes.size() && lanes[row].depth > 0);
        IntervalUnion joined(std::move(busy));
        share.busy_ns = joined.length_ns();
        if (description.kind != LaneKind::other) {
            DeviceSpans& device = devices[description.device];
            const bool computes = description.kind == LaneKind::compute;
            std::ranges::copy(joined.spans(), std::back_inserter(computes ? device.compute : device.communication));
            device.measured = description.computing;
            device.has_compute_lane |= computes;
            if (computes && !device.measured) sum.exposed_ns += share.exposed_ns;  // stalls
        }
        covered.push_back(std::move(joined));
        sum.lanes.push_back(share);
        first = row;
    }
    for (auto& [number, device] : devices) {
        if (device.measured) {
            // Copies on a compute stream hide nothing.
            device.compute.clear();
            for (const TimeRange span : spans_in(*device.measured, range))
                device.compute.push_back(intersection(span, range));
        }
        device.computing = IntervalUnion(std::move(device.compute));
        const IntervalUnion communicating(std::move(device.communication));
        const std::int64_t overlapped_ns = overlap_ns(communicating, device.computing);
        sum.devices += device.has_compute_lane || !device.computing.empty();
        sum.compute_ns += device.computing.length_ns();
        sum.communicating_ns += communicating.length_ns();
        sum.overlapped_ns += overlapped_ns;
        if (device.measured) sum.exposed_ns += communicating.length_ns() - overlapped_ns;
    }
    for (std::size_t index = 0; index < sum.lanes.size(); ++index) {
        const LaneDescription& description = lanes[sum.lanes[index].lane].description;
        if (description.kind == LaneKind::process_group)
            sum.lanes[index].overlapped_ns = overlap_ns(covered[index], devices[description.device].computing);
    }
    return sum;
}

}  // namespace overlap
