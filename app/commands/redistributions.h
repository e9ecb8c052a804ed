#pragma once

#include <iosfwd>

#include "core/files/ordered_json.h"
#include "core/redistribution/device_orders.h"

namespace overlap::commands {

/// Chains of collectives that redistribute a graph's parameters, what each takes, and what other orders would save.
/// Parameters that differ in their names only are one row.
void write_redistributions(std::ostream& out, const Graph& graph, const ComparedChains& compared);

/// The same for programs: `parameters`, each with its chains and orders, `unmatched_gradients`.
Json redistributions_json(const Graph& graph, const ComparedChains& compared);

}  // namespace overlap::commands
