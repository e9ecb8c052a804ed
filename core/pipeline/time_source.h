#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cost/profile_tables.h"
#include "core/graph/graph.h"
#include "core/simulate/contention.h"

namespace overlap {

/// What figures are based on in place of a graph's own times: times that a job took, or the graph's times with
/// contention. Passes never see it: they decide by the times in the graph, as the job's will, so the same plan gives
/// the same graph whatever the source.
struct TimeSource {
    std::string name;  ///< of the trace, for display; empty where times are the graph's own
    ProfileTables tables;
    /// Compute and communication slow one another by the factors of the graph's cost model. Measured times have been
    /// slowed already.
    bool contention = false;
};

/// The graph's own times with contention.
std::shared_ptr<const TimeSource> contention_source();

/// Times of all nodes of a graph, before or after passes.
struct SourcedTimes {
    std::vector<double> times_ms;
    std::uint32_t collectives = 0;  ///< whose time the source gives, interpolated by size per process group
    std::uint32_t operators = 0;    ///< other nodes whose time it gives
};

/// node_times_ms(), and where `source` is not null and knows a node, its time instead. A merged collective is looked up
/// by its own size. What control_deps wraps keeps the graph's time: a graph does not hold what is inside.
/// @throws InputError as node_times_ms().
SourcedTimes sourced_times(const Graph& graph, const TimeSource* source);

/// A simulation and, where the source requests it, what slowed it.
struct SourcedSimulation {
    Simulation simulation;
    std::shared_ptr<const AppliedContention> contention;  ///< null: nothing slowed anything
};

/// simulate(), or simulate_with_contention() where `source` requests it. Both give the same result for `times_ms` where
/// the source has no effect.
/// @throws InputError as contention_of().
SourcedSimulation sourced_simulation(const Graph& graph, std::span<const double> times_ms, const TimeSource* source,
                                     std::stop_token stop = {});

}  // namespace overlap
