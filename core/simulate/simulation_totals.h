#pragma once

#include <span>

#include "core/cost/stream_steps.h"
#include "core/simulate/simulation.h"

namespace overlap {

// What every model of the streams does before and after it finds the times.

/// The collectives and groups of a simulation of `steps`, all times 0.
Simulation untimed_simulation(const Graph& graph, const StreamSteps& steps);

/// Sums, exposed times and causes, once all nodes and collectives have their times.
/// @param times_ms how long each node took.
void finish_simulation(const Graph& graph, const StreamSteps& steps, std::span<const double> times_ms,
                       Simulation& simulation);

/// Time in which the compute stream neither computes nor waits for communication, since the host is late: what is left
/// of a step beside compute and exposed time. Where launches take no time there is some only if a collective that
/// nothing awaits ends last.
double idle_ms(double step_ms, double compute_ms, double exposed_ms);
double idle_ms(const Simulation& simulation);

}  // namespace overlap
