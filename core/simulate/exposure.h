#pragma once

#include <span>

#include "core/simulate/simulation.h"

namespace overlap {

/// Fills cause, blocker and the related fields in every collective of `simulation` that is exposed.
/// @param previous_on_stream for each collective, the index of the one that its group's stream ran before it, or -1.
/// @param is_wait for each node, whether it holds the compute stream for a collective.
void find_causes(const Graph& graph, std::span<const double> times_ms, std::span<const std::int32_t> previous_on_stream,
                 const std::vector<bool>& is_wait, Simulation& simulation);

}  // namespace overlap
