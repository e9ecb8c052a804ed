#pragma once

#include <simdjson.h>

#include "core/files/json_fields.h"
#include "core/files/json_writer.h"
#include "core/graph/graph_builder.h"

namespace overlap {

// What a document tells beside its nodes and that its nodes are read with: exporters write it where the nodes do not
// say all.

/// Reads `naming`: `last_number` by base name, and `retired`, names of nodes that are no more.
/// @throws InputError where it is something else.
void read_naming(simdjson::dom::element value, const JsonPlace& place, GraphBuilder& builder);

/// Writes the member `naming`, which read_naming() reads, with what the names of the graph's nodes do not tell; nothing
/// where there is nothing to tell.
void write_naming(JsonWriter& json, const Graph& graph);

/// Reads `operators`: by name the `traits` and `side_effects` of operators that the table of core/graph lacks.
/// @throws InputError where it is something else, or names a trait that nobody knows.
void read_operators(simdjson::dom::element value, const JsonPlace& place, GraphBuilder& builder);

}  // namespace overlap
