#pragma once

#include <span>
#include <vector>

#include "core/graph/graph_editor.h"

namespace overlap {

/// Stable topological sort of the whole graph, moving as few nodes as torch does
/// (torch/_dynamo/graph_deduplication.py, `_stable_topological_sort`). Nodes with op `output` stay where they are.
/// @returns false when the graph has a cycle; the order is then unspecified.
bool stable_topological_sort(GraphEditor& graph);

/// By node, what has to come before it besides its inputs; nodes beyond the end have nothing.
using FurtherDependencies = std::span<const std::vector<NodeId>>;

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
