#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "core/job/links/link_network.h"
#include "core/job/links/max_min.h"

namespace overlap::job {

/// Flows that move at the same time: bytes with max-min fair rates, which change where flows begin and end. Only rates
/// of flows that share links with those, directly or by others, are worked out again.
class MovingFlows {
  public:
    explicit MovingFlows(const LinkNetwork& network);

    /// @param owner is told when the flow has ended. @param bytes above 0.
    void begin(double now_ms, const Route& route, double bytes, std::uint32_t owner);
    /// When the next flow ends if none begins before; infinite where nothing moves.
    double next_end_ms();
    /// Owners of the flows that end at `now_ms`, which is next_end_ms(), in the order in which they began.
    std::vector<std::uint32_t> end(double now_ms);

    double moved_bytes() const { return moved_bytes_; }  ///< of flows that have ended, summed over time by their rates

  private:
    using FlowIndex = std::uint32_t;
    struct Flow {
        std::vector<LinkIndex> links;
        double most_bytes_per_ms = 0, bytes_per_ms = 0;
        double left_bytes = 0, since_ms = 0, moved_bytes = 0;
        std::uint64_t number = 0;   ///< in the order in which they began
        std::uint32_t version = 0;  ///< of its end in the queue
        std::uint32_t owner = 0;
        bool visited = false;
    };
    struct End {
        double at_ms;
        std::uint64_t number;
        FlowIndex flow;
        std::uint32_t version;
        bool operator>(const End& other) const {
            return at_ms != other.at_ms ? at_ms > other.at_ms : number > other.number;
        }
    };
    /// Rates of all that share a link with what has changed.
    void settle();
    void visit(LinkIndex link);

    std::vector<Flow> flows_;
    std::vector<FlowIndex> free_, begun_, together_;
    std::vector<LinkIndex> changed_, reached_;
    std::vector<std::vector<FlowIndex>> on_link_;
    std::vector<std::uint8_t> link_visited_;
    std::vector<SharingFlow> sharing_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    MaxMin max_min_;
    double now_ms_ = 0, moved_bytes_ = 0;
    std::uint64_t begun_count_ = 0;
};

}  // namespace overlap::job
