#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// For each node the number of its transformer block and direction, or -1 for what is in none. A block is the outermost
/// module with a number for a name, such as `layers.3`; torchtitan compiles each by itself (`apply_compile`).
std::vector<std::int32_t> block_regions(const Graph& graph);

}  // namespace overlap
