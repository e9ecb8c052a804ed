#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "core/graph/graph.h"
#include "core/imports/sharding_document.h"

namespace overlap::commands {

/// What autoparallel chose for the inputs of a graph, and where its solution redistributes, most expensive first.
void write_placements(std::ostream& out, const Graph& graph, const ShardingDocument& document);

/// The same as JSON: `mesh`, `nodes`, `redistributions`, and `unknown_nodes`, which the graph does not have.
nlohmann::ordered_json placements_json(const Graph& graph, const ShardingDocument& document);

}  // namespace overlap::commands
