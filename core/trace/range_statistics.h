#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/timeline.h"

namespace overlap {

/// What a span of time holds, for the measuring ruler.
struct RangeStatistics {
    std::uint64_t events = 0;           ///< events that overlap the span, all lanes; stalls and idle time are no events
    std::int64_t communication_ns = 0;  ///< process groups busy, summed over the groups
    std::uint32_t devices = 0;  ///< GPUs that compute, over which all below is summed; on each no moment counts twice

    std::int64_t compute_ns = 0;        ///< any compute stream busy
    std::int64_t exposed_ns = 0;        ///< compute standing still for communication
    std::int64_t communicating_ns = 0;  ///< any process group busy
    std::int64_t overlapped_ns = 0;     ///< the part of communicating_ns in which a compute stream is busy

    /// One lane with all its rows.
    struct LaneShare {
        std::uint32_t lane = 0;  ///< its first row
        std::uint64_t events = 0;
        std::int64_t busy_ns = 0;        ///< time that its events cover, counted once
        std::int64_t exposed_ns = 0;     ///< stalls in it, or what of its collectives is exposed
        std::int64_t overlapped_ns = 0;  ///< of a process group: part of busy_ns in which a compute stream is busy
    };
    std::vector<LaneShare> lanes;  ///< in the timeline's order
};

/// Sums over all events in `range`: linear in their number, so for when a drag asks, not for each repaint.
RangeStatistics range_statistics(const Timeline& timeline, TimeRange range);

}  // namespace overlap
