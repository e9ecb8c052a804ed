#pragma once

#include <optional>

#include "core/graph/graph.h"
#include "core/run/program.h"

namespace overlap {

/// How an `aten._scaled_mm` scales its factors, where it is one that PyTorch gives to cuBLASLt: the left factor lies by
/// rows and the right one by columns, their types are `float8_e4m3fn` or one of them `float8_e5m2`, the result has 16
/// or 32 bits, and scales are 32-bit floats, one for each factor or one for each row and column. Nothing for other
/// nodes, and for those with scales for blocks, which are laid out by rules that a graph does not tell.
/// (torch/_meta_registrations.py, `meta_scaled_mm`.)
std::optional<ProductScaling> scaling_of(const Graph& graph, NodeId node);

}  // namespace overlap
