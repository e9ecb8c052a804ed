#pragma once

#include <span>

#include "core/graph/graph_editor.h"

namespace overlap {

/// Stable topological sort of the whole graph, moving as few nodes as torch does
/// (torch/_dynamo/graph_deduplication.py, `_stable_topological_sort`). Nodes with op `output` stay where they are.
/// @returns false when the graph has a cycle; the order is then unspecified.
bool stable_topological_sort(GraphEditor& graph);

/// The same for a stretch of the list; nodes outside count as sorted.
/// @param region consecutive nodes in list order.
bool stable_topological_sort_region(GraphEditor& graph, std::span<const NodeId> region);

}  // namespace overlap
