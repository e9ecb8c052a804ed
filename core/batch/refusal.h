#pragma once

#include <string>

#include "core/graph/graph.h"

namespace overlap {

/// @throws InputError: the batch cannot be changed at `node`, for `reason`.
[[noreturn]] void refuse_batch(const Graph& graph, NodeId node, const std::string& reason);

}  // namespace overlap
