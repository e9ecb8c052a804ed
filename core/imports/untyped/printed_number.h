#pragma once

#include <optional>
#include <string_view>

#include "core/graph/graph_builder.h"

namespace overlap {

/// The value of a number as Python prints it; a whole one beyond 64 bits as the graph format keeps it. Nothing for any
/// other text, such as "007", "1e999" and "infinity".
std::optional<Value> printed_number(GraphBuilder& builder, std::string_view text);

}  // namespace overlap
