#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/passes/scheduling/augmented_graph.h"
#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// An event of a process group: one of its collectives starts or is waited for, or a node computes.
struct Event {
    enum class Kind : std::uint8_t { compute, start, wait };

    NodeId node = no_node;
    Kind kind = Kind::compute;
    std::uint32_t previous = no_index, next = no_index;  ///< events; no_index at the ends
};

/// Everything that happens on one process group, in the order of the schedule, as a list from which events can be taken
/// (torch's PGEvent). Events are their positions in the first order, which they keep.
///
/// Neighbours in the list depend on each other in the augmented graph. As in the reference, their links are kept by
/// node while neighbours are found by event, and putting an event back does not restore every dependency.
class GroupTimeline {
  public:
    /// Collects the events and makes each depend on the one before it.
    /// @param candidates nodes in the order of the schedule that are events of some group.
    /// @param hides whether a node hides a collective of this group.
    GroupTimeline(const CollectiveTable& table, Index group, std::span<const NodeId> candidates,
                  const std::vector<bool>& is_compute, const std::vector<bool>& hides, AugmentedGraph& graph);

    const std::vector<Event>& events() const { return events_; }
    const Event& event(std::uint32_t position) const { return events_[position]; }

    /// Takes the event out; its neighbours become neighbours.
    /// @param node for which the dependencies are kept; not always the event's.
    struct Place {
        std::uint32_t event = no_index, previous = no_index, next = no_index;
    };
    Place take_out(NodeId node, std::uint32_t event, AugmentedGraph& graph);
    void put_back(NodeId node, const Place& place, AugmentedGraph& graph);

  private:
    std::vector<Event> events_;
};

/// The events of all groups (`build_timelines`, `_add_hiding_interval_constraints`): adds to the graph the dependencies
/// that keep them in order and hidden collectives around the nodes that hide them.
std::vector<GroupTimeline> build_timelines(const Graph& graph, const CollectiveTable& table,
                                           std::span<const NodeId> order, AugmentedGraph& augmented);

}  // namespace overlap::scheduling
