#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// Stable topological sort of the whole graph, moving as few nodes as torch does
/// (torch/_dynamo/graph_deduplication.py, `_stable_topological_sort`). Nodes with op `output` stay where they are.
/// @returns false when the graph has a cycle; the order is then unspecified.
bool stable_topological_sort(GraphEditor& graph);

/// By node, what has to come before it besides its inputs; nodes beyond the end have nothing.
class FurtherDependencies {
  public:
    FurtherDependencies() = default;
    FurtherDependencies(std::span<const std::vector<NodeId>> of_node) : of_node_(of_node) {}
    FurtherDependencies(const std::vector<std::vector<NodeId>>& of_node) : of_node_(of_node) {}
    /// One behind the other: those of node n begin at first[n] and end at the next.
    FurtherDependencies(std::span<const std::uint32_t> first, std::span<const NodeId> list)
        : first_(first), list_(list) {}

    std::span<const NodeId> of(NodeId node) const {
        if (node < of_node_.size()) return of_node_[node];
        if (node + std::size_t{1} < first_.size()) return list_.subspan(first_[node], first_[node + 1] - first_[node]);
        return {};
    }

  private:
    std::span<const std::vector<NodeId>> of_node_;
    std::span<const std::uint32_t> first_;
    std::span<const NodeId> list_;
};

/// The same with further dependencies, which break ties after the inputs, in their order.
bool stable_topological_sort(GraphEditor& graph, FurtherDependencies further);

/// The same for a stretch of the list; nodes outside count as sorted.
/// @param region consecutive nodes in list order.
bool stable_topological_sort_region(GraphEditor& graph, std::span<const NodeId> region);

/// torch's other stable sort (torch/_inductor/pattern_matcher.py, `stable_topological_sort`), which its bucketing
/// passes end with and its overlap scheduler begins with. A node whose inputs are not all placed waits for the one that
/// its arguments mention last, repeated mentions included, and all arguments are looked at again when that one is
/// placed; nodes with op `output` take part. Where the order leaves a choice, the result differs from the sort above. A
/// graph that is sorted stays as it is, at the price of one look at each input.
/// @returns false when the graph has a cycle; the order is then unspecified.
bool stable_topological_sort_by_arguments(GraphEditor& graph);

}  // namespace overlap
