#pragma once

#include <cstddef>
#include <string_view>

#include "core/imports/untyped/untyped_graph.h"

namespace overlap {

/// Reads the function `load_args` of an fx_graph_runnable, which has the types and the storages of a graph's inputs,
/// and gives them to placeholders that have none.
/// @param begin of `def load_args`. @throws InputError with line and column.
void read_fx_inputs(std::string_view text, std::size_t begin, UntypedGraph& graph);

}  // namespace overlap
