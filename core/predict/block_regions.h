#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/compilation.h"
#include "core/graph/graph.h"

namespace overlap {

/// For each node the number of its transformer block and direction, or `not_compiled` for what is in none. A block is
/// the outermost module with a number for a name, such as `layers.3`; torchtitan compiles each by itself
/// (`apply_compile`).
std::vector<std::int32_t> block_regions(const Graph& graph);

/// The region of a node that nothing compiles; see fused_kernels().
inline constexpr std::int32_t not_compiled = -1;

/// For each node the region that a job compiles as a whole: none, its block and direction, or its direction, since
/// forward and backward are compiled apart.
std::vector<std::int32_t> compiled_regions(const Graph& graph, CompiledScope scope);

}  // namespace overlap
