#include "core/trace/range_statistics.h"

namespace overlap {

RangeStatistics range_statistics(const Timeline& timeline, TimeRange range) {
    RangeStatistics sum;
    for (const Lane& lane : timeline.lanes()) {
        const LaneKind kind = lane.description.kind;
        if (kind == LaneKind::compute && lane.depth == 0) ++sum.compute_lanes;
        for (std::uint32_t index = lane.first_ending_after(range.begin_ns);
             index < lane.size() && lane.start_ns[index] < range.end_ns; ++index) {
            const std::int64_t shared = overlap_ns(lane.event(index), range);
            const EventRole role = lane.role[index];
            if (role == EventRole::exposed) sum.exposed_ns += shared;
            if (role == EventRole::exposed || role == EventRole::idle) continue;
            ++sum.events;
            // Rows below the first hold what overlaps it; counting them would make a lane more than fully busy.
            if (lane.depth > 0) continue;
            if (kind == LaneKind::compute) sum.compute_ns += shared;
            if (kind == LaneKind::process_group) sum.communication_ns += shared;
        }
    }
    return sum;
}

}  // namespace overlap
