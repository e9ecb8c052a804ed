#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// A node that one of two graphs has and the other has not, or that both have differently. The texts belong to the
/// pools that the difference keeps.
struct NodeChange {
    std::string_view name;
    std::string_view target;  ///< in the graph after, but for removed nodes
    NodeId before = no_node;  ///< position in the graph before; no_node for added nodes
    NodeId after = no_node;   ///< position in the graph after; no_node for removed nodes

    bool operator==(const NodeChange&) const = default;
};

/// What a rewriting did to a graph. Keeps the graphs' text and not the graphs.
struct GraphDifference {
    std::vector<NodeChange> added;    ///< in order of the graph after
    std::vector<NodeChange> removed;  ///< in order of the graph before
    /// Nodes of both graphs that moved: the smallest set without which all others have the same order in both. In order
    /// of the later graph.
    std::vector<NodeChange> moved;
    /// Nodes of both graphs whose operator or arguments differ, moved ones included. In order of the later graph.
    std::vector<NodeChange> changed;

    std::shared_ptr<const StringPool> before_text, after_text;

    bool empty() const { return added.empty() && removed.empty() && moved.empty() && changed.empty(); }
};

/// Compares two graphs in n log n for n nodes.
/// @param origin for each node of `after` the node of `before` that it is, or no_node.
GraphDifference graph_difference(const Graph& before, const Graph& after, std::span<const NodeId> origin);

}  // namespace overlap
