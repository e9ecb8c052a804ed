#pragma once

#include <simdjson.h>

#include "core/graph/graph.h"

namespace overlap {

/// Checks `format` and `version` of a document. @throws InputError that says what was found.
void check_graph_format(simdjson::dom::object document);

/// Everything of a document but `format`, `version` and `nodes`. @throws InputError
GraphHeader read_graph_header(simdjson::dom::object document);

}  // namespace overlap
