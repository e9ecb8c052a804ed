#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/overlap_directives.h"

namespace overlap {

/// Dependencies beside a graph's inputs: for each node what has to stand before it, and the reverse.
class FurtherEdges {
  public:
    explicit FurtherEdges(std::uint32_t node_count) : before_(node_count), after_(node_count) {}

    void add(const OverlapEdge& edge);
    /// An edge between neighbours of every process group's issue order.
    void add_group_order(const Graph& graph);

    const std::vector<std::vector<NodeId>>& before() const { return before_; }
    const std::vector<NodeId>& before(NodeId node) const { return before_[node]; }
    const std::vector<NodeId>& after(NodeId node) const { return after_[node]; }

  private:
    std::vector<std::vector<NodeId>> before_, after_;
};

/// Nodes that start a collective, those that a control_deps wraps included, in graph order.
std::vector<NodeId> collective_starts(const Graph& graph);
/// The waits on what `start` returns, directly or through one getitem, in graph order.
std::vector<NodeId> waits_of(const Graph& graph, NodeId start);

/// Where one collective can go while everything else stays as it depends: answers while a pointer moves, one look a
/// node. Made once for a drag; holds references.
class OverlapReach {
  public:
    enum class Wish : std::uint8_t { start_after, start_before, wait_after };

    /// @param further of the other directives and the groups' order.
    OverlapReach(const Graph& graph, const FurtherEdges& further, NodeId start);

    NodeId start() const { return start_; }
    const std::vector<NodeId>& waits() const { return waits_; }

    bool allows(Wish wish, NodeId node) const;
    /// Why not: a clause that names the way from one node to the other; empty where it is allowed.
    std::string refusal(Wish wish, NodeId node) const;

    /// True for nodes that must come before the start, and for those that must come after a wait.
    bool is_needed(NodeId node) const { return needs_next_[node] != unreached; }
    bool is_dependent(NodeId node) const { return dependent_next_[node] != unreached; }

  private:
    static constexpr NodeId unreached = no_node;

    std::string way(const std::vector<NodeId>& next, NodeId from) const;

    const Graph& graph_;
    NodeId start_;
    std::vector<NodeId> waits_;
    std::vector<NodeId> needs_next_;      ///< of what the start needs: the next node on the way to it
    std::vector<NodeId> dependent_next_;  ///< of what needs a wait: the next node on the way back to it
    std::vector<NodeId> follows_next_;    ///< of what needs the start
};

/// A cycle of inputs and further edges, each node needing the one behind it, the last needing the first; empty without.
std::vector<NodeId> find_cycle(const Graph& graph, const FurtherEdges& further);

/// `a -> b -> c` with the middle of long ways left out.
std::string way_text(const Graph& graph, const std::vector<NodeId>& nodes);

}  // namespace overlap
