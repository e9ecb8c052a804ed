#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/graph_difference.h"
#include "core/graph/module_tree.h"
#include "core/modules/module_repair.h"
#include "core/passes/overlaps/directed_order.h"
#include "core/passes/pass.h"
#include "core/pipeline/time_source.h"
#include "core/plan/plan.h"
#include "core/simulate/memory_profile.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// What became of one step of a plan's pipeline.
struct StepOutcome {
    enum class State { not_reached, switched_off, ran, refused };
    std::string pass;
    State state = State::not_reached;
    double run_ms = 0;                  ///< of the pass alone
    GraphDifference difference;         ///< between the graph before and after; empty unless it ran
    std::vector<std::size_t> problems;  ///< indices into Evaluation::problems of what the pass reported
    std::string refusal;                ///< why it was refused, with its place; empty unless it was
};

/// What became of a plan's overlaps by hand, which come after all steps.
struct OverlapOutcome {
    std::vector<DirectiveOutcome> directives;  ///< one each; none where the pipeline was refused
    GraphDifference difference;                ///< between the graph before and after them
    double run_ms = 0;                         ///< of finding and applying the order
};

/// Everything that a view shows of one plan on one graph. Immutable once made; views share it.
struct Evaluation {
    std::shared_ptr<const Graph> original;  ///< as it was read: what a plan's fingerprint is of
    /// What the pipeline begins with: the original, with the modules that the plan's rules give. Its nodes are the
    /// original's.
    std::shared_ptr<const Graph> input;
    std::shared_ptr<const RepairedModules> repaired;  ///< what became of those rules; null where the plan has none
    std::shared_ptr<const Graph> graph;               ///< after the pipeline; the input where a step was refused
    std::vector<PassReport> reports;                  ///< one for each step that ran
    std::vector<StepOutcome> steps;                   ///< one for each step of the plan's pipeline
    OverlapOutcome overlaps;
    std::shared_ptr<const Graph> undirected;  ///< what the overlaps by hand are applied to; `graph` where none holds
    std::vector<Problem> problems;            ///< of the plan, the passes and the simulation
    bool refused = false;  ///< a step was refused; problems say why, and figures are those of the input

    /// False where neither the graph nor a cost model tells a node's time: a problem `no_times` says which. All times
    /// are 0 then, and figures made of them mean nothing.
    bool times_known = true;
    std::vector<double> times_ms;                                  ///< of each node of `graph`, when it runs alone
    std::shared_ptr<const TimeSource> time_source;                 ///< whose times they are; null: the graph's own
    std::uint32_t sourced_collectives = 0, sourced_operators = 0;  ///< see SourcedTimes
    Simulation simulation;
    std::shared_ptr<const AppliedContention> contention;  ///< what slowed the simulation; null: nothing
    MemoryProfile memory;                                 ///< the reference's estimate
    MemoryProfile corrected_memory;                       ///< see StorageRule::corrected

    /// For each node of `graph` its node in `input`, or no_node.
    std::vector<NodeId> origin;
    /// For each node of `graph` the index of the plan's entry whose bucket it belongs to (merged start, wait,
    /// packing and unpacking), or -1.
    std::vector<std::int32_t> bucket_of_node;
    /// The same, and besides for each node of a module that the plan names the index of that entry: what compute is
    /// coloured by.
    std::vector<std::int32_t> entry_of_node;

    double evaluate_ms = 0;  ///< how long this took
};

/// Runs the plan's pipeline, the simulation and the memory estimators.
/// @param time_source for the simulation, in place of the graph's own times; null for those. It changes figures only.
/// @returns nullptr when `stop` was requested; errors of the plan or a pass become problems, never exceptions.
std::shared_ptr<const Evaluation> evaluate(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                           std::stop_token stop = {},
                                           std::shared_ptr<const TimeSource> time_source = nullptr);

/// The graph as it is, without any pass.
std::shared_ptr<const Evaluation> evaluate_baseline(const std::shared_ptr<const Graph>& graph,
                                                    std::stop_token stop = {},
                                                    std::shared_ptr<const TimeSource> time_source = nullptr);

}  // namespace overlap
