#pragma once

#include <cstdint>

#include "core/trace/timeline.h"

namespace overlap {

/// What a span of time holds, for the measuring ruler.
struct RangeStatistics {
    std::uint64_t events = 0;           ///< events that overlap the span, all lanes; stalls and idle time are no events
    std::int64_t compute_ns = 0;        ///< compute streams busy
    std::int64_t exposed_ns = 0;        ///< compute streams standing still for communication
    std::int64_t communication_ns = 0;  ///< process groups busy
    std::uint32_t compute_lanes = 0;    ///< lanes that compute_ns and exposed_ns are summed over
};

/// Sums over all events in `range`: linear in their number, so for when a drag asks, not for each repaint.
RangeStatistics range_statistics(const Timeline& timeline, TimeRange range);

}  // namespace overlap
