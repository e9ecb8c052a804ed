#pragma once

#include <string>

#include "core/graph/graph.h"
#include "core/simulate/memory_profile.h"
#include "core/simulate/simulation.h"

namespace overlap::commands {

/// A simulated timeline as a Chrome trace (JSON object format, times in microseconds), for Perfetto and its kin.
///
/// One process, the rank. Thread 0 is the compute stream, with a slice for each exposed wait; the others are the
/// process groups in order of first use. Flow arrows go from a collective to its first wait; a counter shows memory.
std::string simulation_trace(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory);

}  // namespace overlap::commands
