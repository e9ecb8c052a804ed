#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cost/profile_tables.h"
#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/simulate/contention.h"

namespace overlap {

/// What figures are based on in place of a graph's own times: times that a job took, or what a model of the job says:
/// kernels that are fused, compute and communication that slow one another down. Passes never see it: they decide by
/// the times in the graph, as the job's will, so the same plan gives the same graph whatever the source.
struct TimeSource {
    std::string name;  ///< of the trace, for display; empty where times are modelled
    ProfileTables tables;
    /// Compute and communication slow one another by the factors of the graph's cost model. Measured times have been
    /// slowed already.
    bool contention = false;
    /// Times of fused kernels by the graph's cost model (core/predict), in place of the graph's own times; of measured
    /// times, for what the trace does not know.
    std::optional<Compilation> compilation{};
    /// Process groups over one card of a GPU, or over its link within the host, share it (links_by_host()), also where
    /// the graph's cost model does not say so.
    bool share_links = false;

    /// Whether it has times that a job took.
    bool measured() const { return !name.empty(); }
};

/// What a model of the job says; without any of it, the times of nodes as traced.
std::shared_ptr<const TimeSource> modelled_source(bool contention, const std::optional<Compilation>& compilation,
                                                  bool share_links = false);

/// The times of a graph where nobody asks for others: those of the compiled job where its cost model says how the job
/// compiles, else null, as traced.
std::shared_ptr<const TimeSource> own_time_source(const Graph& graph);

/// Times of all nodes of a graph, before or after passes.
struct SourcedTimes {
    std::vector<double> times_ms;
    std::uint32_t collectives = 0;  ///< whose time the source gives, interpolated by size per process group
    std::uint32_t operators = 0;    ///< other nodes whose time it gives
};

/// node_times_ms(), also for null, or compiled_times() where `source` asks for them; and where it knows a node, its
/// time instead. A merged collective is looked up by its own size. What control_deps wraps keeps the graph's time: a
/// graph does not hold what is inside. Nodes whose kernel a compiler writes keep their part of its time: what a trace
/// has under an operator's name ran by itself.
/// @throws InputError as node_times_ms().
SourcedTimes sourced_times(const Graph& graph, const TimeSource* source);

/// A simulation and, where the source requests it, what slowed it.
struct SourcedSimulation {
    Simulation simulation;
    std::shared_ptr<const AppliedContention> contention;  ///< null: it was not requested
    /// Process groups whose collectives shared a link, a list for each such link.
    std::vector<std::vector<std::string>> shared_links;
};

/// Process groups that communicate in this graph over one link, by its cost model or because `source` has them share
/// links, a list for each such link.
/// @param source groups of which it has measured a collective are left out; may be null.
std::vector<std::vector<std::string>> links_in_common(const Graph& graph, const TimeSource* source = nullptr);

/// simulate(), or simulate_with_contention() where `source` requests it. Where it does not, collectives of several
/// process groups still share the links of links_in_common(); where times are measured, those of
/// groups of which the trace knows no collective, since what was measured has been slowed already.
/// @throws InputError as contention_of().
SourcedSimulation sourced_simulation(const Graph& graph, std::span<const double> times_ms, const TimeSource* source,
                                     const SimulationOptions& options = {}, std::stop_token stop = {});

}  // namespace overlap
