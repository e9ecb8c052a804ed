#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/timeline/interval_union.h"
#include "core/timeline/timeline.h"

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

/// Sums over ranges of one timeline, for a ruler that asks again with each move of the mouse: what its lanes and GPUs
/// do is joined once, in a walk over all events, and from then on a range costs bisections. Takes 24 bytes for each
/// span that stays apart.
class RangeSums {
  public:
    explicit RangeSums(std::shared_ptr<const Timeline> timeline);

    const std::shared_ptr<const Timeline>& timeline() const { return timeline_; }
    RangeStatistics of(TimeRange range) const;

  private:
    /// One row of a lane.
    struct Row {
        std::uint32_t lane = 0;
        std::vector<std::uint32_t> events_before;  ///< of each one, and of all; empty where there are no stalls
        SpanSums busy;
        SpanSums exposed;  ///< stalls, or what of its collectives is exposed

        std::uint64_t events(const Lane& lane, TimeRange range) const;
    };
    struct LaneSums {
        std::vector<Row> rows;
        IntervalUnion joined;  ///< only while these are made
        SpanSums busy, overlapped;
    };
    struct DeviceSums {
        bool is_measured = false, has_compute_lane = false;
        SpanSums compute, communicating, overlapped;
    };

    static Row row_of(const Lane& lane, std::uint32_t number, std::vector<TimeRange>& joined);
    void join_devices();

    std::shared_ptr<const Timeline> timeline_;
    std::vector<LaneSums> lanes_;
    std::map<std::uint32_t, DeviceSums> devices_;
};

}  // namespace overlap
