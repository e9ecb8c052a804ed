#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/scheduling/merge_order.h"
#include "core/passes/scheduling/static_ancestors.h"

namespace overlap::scheduling {

/// Nodes in the order in which they were added; adding one again does not move it.
using OrderedNodes = std::vector<NodeId>;

/// A graph with further dependencies and nodes that are to become one
/// (torch/_inductor/augmented_graph_helper.py, AugmentedGraphHelper). Dependencies are not counted: removing one that
/// was added twice removes it, as in the reference.
///
/// The reference looks for a path by searching the whole graph, except what the static ancestors exclude. While the
/// graph with all of these dependencies has an order, a search between the places of the two nodes in that order gives
/// the same result faster; otherwise the reference's search is done.
class AugmentedGraph {
  public:
    /// @param order all nodes of the graph, as scheduled.
    AugmentedGraph(const Graph& graph, const CollectiveTable& table, std::span<const NodeId> order,
                   StaticAncestors& ancestors);

    /// `node` comes after `dependency`.
    void add(NodeId node, NodeId dependency);
    void remove(NodeId node, NodeId dependency);

    /// Whether one of two nodes depends on the other.
    /// @pre they are not merged.
    bool are_connected(NodeId left, NodeId right);
    /// @pre are_connected() was false just before; `single` is merged with nothing.
    void merge(NodeId existing, NodeId single);
    void split(NodeId single);

    /// Transfers the dependencies of merged nodes to their replacements (`transfer_erased_node_deps`).
    /// @param replaced pairs of old and new node in the reference's order.
    /// @param editor holds the new nodes.
    void transfer(std::span<const std::pair<NodeId, NodeId>> replaced, const GraphEditor& editor);

    /// Drops dependencies of and on erased nodes.
    void drop_erased(const GraphEditor& editor);
    /// Dependencies by node.
    const std::vector<OrderedNodes>& dependencies() const { return dependencies_; }
    /// Nodes that have had dependencies, in the order in which they first got one.
    const std::vector<NodeId>& dependents() const { return dependents_; }

  private:
    bool depends_in_order(NodeId later, NodeId earlier, bool with_removed);
    bool depends_in_reference(NodeId target, NodeId source);
    void insert(NodeId node, NodeId dependency);
    void grow(std::size_t count);

    const Graph& graph_;
    const CollectiveTable& table_;
    StaticAncestors& ancestors_;
    MergeOrder order_;
    bool ordered_ = true;              ///< order_ holds
    bool connected_in_order_ = false;  ///< what are_connected() found in the graph with all static dependencies
    std::vector<OrderedNodes> dependencies_, users_;
    std::vector<NodeId> dependents_;
    std::vector<bool> is_dependent_;
    std::vector<NodeId> replacement_;  ///< by node, during a transfer
    std::vector<std::uint32_t> visited_;
    std::uint32_t search_ = 0;
};

}  // namespace overlap::scheduling
