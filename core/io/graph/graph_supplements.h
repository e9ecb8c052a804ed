#pragma once

#include <simdjson.h>

#include "core/files/json_fields.h"
#include "core/files/json_writer.h"
#include "core/graph/graph_builder.h"

namespace overlap {

// What a document has besides its nodes and what is needed to read them: exporters write it where the nodes alone are
// not sufficient.

/// Reads `naming`: `last_number` by base name, and `retired`, names of nodes that no longer exist.
/// @throws InputError where it is something else.
void read_naming(simdjson::dom::element value, const JsonPlace& place, GraphBuilder& builder);

/// Writes the member `naming`, which read_naming() reads, with what does not follow from the names of the graph's
/// nodes; nothing where there is nothing to add.
void write_naming(JsonWriter& json, const Graph& graph);

/// Reads `operators`: by name the `traits` and `side_effects` of operators that the table of core/graph lacks.
/// @throws InputError where it is something else, or names an unknown trait.
void read_operators(simdjson::dom::element value, const JsonPlace& place, GraphBuilder& builder);

}  // namespace overlap
