#include "core/trace/range_statistics.h"

#include <algorithm>

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
        if (role == EventRole::exposed) {
            sum.exposed_ns += shared;
            share.exposed_ns += shared;
        }
        if (role == EventRole::exposed || role == EventRole::idle) continue;
        ++sum.events;
        ++share.events;
        append(busy, inside);
        if (lane.exposed_ns[index] > 0)
            share.exposed_ns += overlap_ns({lane.end_ns[index] - lane.exposed_ns[index], lane.end_ns[index]}, range);
        // Rows below the first hold what overlaps it; counting them would make a lane more than fully busy.
        if (lane.depth > 0) continue;
        if (kind == LaneKind::compute) sum.compute_ns += shared;
        if (kind == LaneKind::process_group) sum.communication_ns += shared;
    }
}

}  // namespace

RangeStatistics range_statistics(const Timeline& timeline, TimeRange range) {
    RangeStatistics sum;
    std::vector<TimeRange> compute;
    std::vector<TimeRange> communication;
    std::vector<IntervalUnion> covered;  // by share
    const auto lanes = timeline.lanes();
    for (std::uint32_t first = 0; first < lanes.size();) {
        RangeStatistics::LaneShare share;
        share.lane = first;
        const LaneKind kind = lanes[first].description.kind;
        if (kind == LaneKind::compute) ++sum.compute_lanes;
        std::vector<TimeRange> busy;
        std::uint32_t row = first;
        do {
            add_row(lanes[row], range, sum, share, busy);
        } while (++row < lanes.size() && lanes[row].depth > 0);
        IntervalUnion joined(std::move(busy));
        share.busy_ns = joined.length_ns();
        if (kind == LaneKind::compute) std::ranges::copy(joined.spans(), std::back_inserter(compute));
        if (kind == LaneKind::process_group) std::ranges::copy(joined.spans(), std::back_inserter(communication));
        covered.push_back(std::move(joined));
        sum.lanes.push_back(share);
        first = row;
    }
    const IntervalUnion computing(std::move(compute));
    const IntervalUnion communicating(std::move(communication));
    sum.communicating_ns = communicating.length_ns();
    sum.overlapped_ns = overlap_ns(communicating, computing);
    for (std::size_t index = 0; index < sum.lanes.size(); ++index) {
        if (lanes[sum.lanes[index].lane].description.kind == LaneKind::process_group)
            sum.lanes[index].overlapped_ns = overlap_ns(covered[index], computing);
    }
    return sum;
}

}  // namespace overlap
