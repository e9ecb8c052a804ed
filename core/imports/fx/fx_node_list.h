#pragma once

#include <cstddef>
#include <string_view>

#include "core/imports/untyped/untyped_graph.h"

namespace overlap {

/// Reads what `print(graph)` writes: a node a line, `%name : [num_users=N] = OP[target=TARGET](args = (…), kwargs =
/// {…})`. Strings are written there without quotes, so a word that is neither a node nor a constant is a string; a
/// number is a string where its operator takes the name of a process group.
/// @param begin of `graph(`. @throws InputError with line and column.
void read_fx_node_list(std::string_view text, std::size_t begin, UntypedGraph& graph);

}  // namespace overlap
