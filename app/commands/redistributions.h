#pragma once

#include <iosfwd>

#include "core/files/ordered_json.h"
#include "core/redistribution/device_orders.h"

namespace overlap::commands {

/// Chains of collectives that redistribute a graph's parameters, their times, and the savings of other orders.
/// Parameters that differ only in their names are one row.
void write_redistributions(std::ostream& out, const Graph& graph, const ComparedChains& compared);

/// The same as JSON: `parameters`, each with its chains and orders, `unmatched_gradients`.
Json redistributions_json(const Graph& graph, const ComparedChains& compared);

}  // namespace overlap::commands
