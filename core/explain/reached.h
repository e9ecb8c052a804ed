#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace overlap {

enum class Direction { inputs, users };

/// Marks what `nodes` depend on, or what depends on them; themselves only where one of them does.
std::vector<bool> reached(const Graph& graph, std::vector<NodeId> nodes, Direction direction);

}  // namespace overlap
