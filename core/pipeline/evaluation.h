#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/memory/memory_profile.h"
#include "core/pipeline/execution.h"
#include "core/pipeline/time_source.h"
#include "core/pipeline/unshared_links.h"
#include "core/plan/plan.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// Everything that a view shows of one plan on one graph: the executed plan, and figures of its result. Those of a
/// refused plan are the figures of the input. Immutable once made; views share it.
struct Evaluation : Execution {
    /// How many of the problems concern the plan and what it was run on; those after them concern the figures.
    std::size_t plan_problems = 0;

    /// False where neither the graph nor a cost model gives a node's time: a problem `no_times` says which. All times
    /// are 0 then, and figures made of them mean nothing.
    bool times_known = true;
    std::vector<double> times_ms;                                  ///< of each node of `graph`, when it runs alone
    std::shared_ptr<const TimeSource> time_source;                 ///< whose times they are; null: as traced
    std::uint32_t sourced_collectives = 0, sourced_operators = 0;  ///< see SourcedTimes
    Simulation simulation;
    std::shared_ptr<const AppliedContention> contention;  ///< what slowed the simulation; null: nothing
    /// Where the simulation takes groups over one link to have one each: the step if they share it, as a job's do.
    std::optional<SharedLinkStep> on_shared_links;
    MemoryProfile memory;            ///< the reference's estimate
    MemoryProfile corrected_memory;  ///< see StorageRule::corrected

    /// As bucket_of_node, and also, for each node of a module that the plan names, the index of that entry: it
    /// determines the colour of compute.
    std::vector<std::int32_t> entry_of_node;

    double evaluate_ms = 0;  ///< how long this took

    /// What steps of plans for this graph made; null: nothing is kept. That of a baseline begins empty, for the plans
    /// that it is the baseline of.
    std::shared_ptr<PassResultCache> cache;
};

/// Runs the plan's pipeline, the simulation and the memory estimators.
/// @param time_source for the simulation; null for own_time_source(). It changes figures only.
/// @param cache of what steps of other plans made of this graph; null: all steps run.
/// @returns nullptr when `stop` was requested; errors of the plan or a pass become problems, never exceptions.
std::shared_ptr<const Evaluation> evaluate(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                           std::stop_token stop = {},
                                           std::shared_ptr<const TimeSource> time_source = nullptr,
                                           std::shared_ptr<PassResultCache> cache = nullptr);

/// A variation of the plan that was evaluated, or another plan for its graph: with its times, and what is known of its
/// steps.
std::shared_ptr<const Evaluation> evaluate_like(const Evaluation& evaluation, const Plan& plan,
                                                std::stop_token stop = {});

/// The graph as it is, without any pass.
std::shared_ptr<const Evaluation> evaluate_baseline(const std::shared_ptr<const Graph>& graph,
                                                    std::stop_token stop = {},
                                                    std::shared_ptr<const TimeSource> time_source = nullptr);

/// The streams of a graph with other times as those of the evaluation were simulated: with contention where its source
/// requests it and its cost model has the factors.
/// @param graph what the evaluation's passes made, or the same with nodes in another order.
Simulation simulated_like(const Evaluation& evaluation, const Graph& graph, std::span<const double> times_ms,
                          std::stop_token stop = {});

}  // namespace overlap
