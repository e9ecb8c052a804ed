#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Placeholders with the names of the parameters that they are, in the order of the graph (the document's
/// `placeholder_fqns`). Nothing where the document names none.
std::optional<std::vector<std::pair<NodeId, std::string>>> parameter_names(const Graph& graph);

}  // namespace overlap
