#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// "The first comes after the second."
struct OverlapEdge {
    NodeId target = no_node, source = no_node;

    bool operator==(const OverlapEdge&) const = default;
};

/// Dependencies besides a graph's inputs: for each node what has to come before it, and the reverse.
class FurtherEdges {
  public:
    explicit FurtherEdges(std::uint32_t node_count) : before_(node_count), after_(node_count) {}

    /// @returns false when the edge was there.
    bool add(const OverlapEdge& edge);
    void remove(const OverlapEdge& edge);
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

/// What the user may request of a collective with respect to another node.
enum class OverlapWish : std::uint8_t { start_after, start_before, wait_after };

/// Why `node` can never be used in such a request, whatever the dependencies: a clause, or empty.
std::string misplaced(const Graph& graph, OverlapWish wish, NodeId node);
/// A clause that says that `wish` contradicts the dependencies.
/// @param way from the one that has to come first to the other.
std::string refusal_text(const Graph& graph, OverlapWish wish, NodeId start, NodeId node,
                         const std::vector<NodeId>& way);

/// The shortest path by which `user` depends on `needed`, from `needed` to `user`; empty where it does not.
std::vector<NodeId> dependency_way(const Graph& graph, const FurtherEdges& further, NodeId needed, NodeId user);

/// Where one collective can move while all other dependencies stay: fast enough for each move of the pointer, one
/// lookup a node. Made once for a drag; holds a reference to the graph.
class OverlapReach {
  public:
    /// @param further of the other directives and the groups' order.
    OverlapReach(const Graph& graph, const FurtherEdges& further, NodeId start);

    const std::vector<NodeId>& waits() const { return waits_; }

    /// Why not: a clause that names the path from one node to the other; empty where it is allowed.
    std::string refusal(OverlapWish wish, NodeId node) const;

    /// True for the start and nodes that must come before it.
    bool is_needed(NodeId node) const { return needs_next_[node] != no_node; }
    /// True for the waits and nodes that must come after one.
    bool is_dependent(NodeId node) const { return dependent_next_[node] != no_node; }

  private:
    bool allows(OverlapWish wish, NodeId node) const;

    const Graph& graph_;
    NodeId start_;
    std::vector<NodeId> waits_;
    std::vector<NodeId> needs_next_;      ///< of what the start needs: the next node on the path to it
    std::vector<NodeId> dependent_next_;  ///< of what needs a wait: the next node on the path back to it
    std::vector<NodeId> follows_next_;    ///< of what needs the start
};

}  // namespace overlap
