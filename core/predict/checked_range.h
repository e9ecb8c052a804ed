#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// In what the step of a job that compiles its graph so (none: not at all) differs from all published runs that
/// predictions were compared with (docs/predictions.md): dense models in bfloat16, sharded and tensor parallel, on up
/// to 256 ranks, whose blocks are compiled.
/// @returns clauses such as `it has products in float8, and no checked run has`; empty where it is like them.
std::vector<std::string> outside_checked_runs(const Graph& graph, const std::optional<Compilation>& compilation);

}  // namespace overlap
