#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/graph/deferred_difference.h"
#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/modules/module_repair.h"
#include "core/passes/overlaps/directed_order.h"
#include "core/passes/pass.h"
#include "core/pipeline/pass_result_cache.h"
#include "core/pipeline/resolved_plan.h"

namespace overlap {

/// The result of one step of a plan's pipeline.
struct StepOutcome {
    enum class State { not_reached, switched_off, ran, refused };
    std::string pass;
    State state = State::not_reached;
    double run_ms = 0;                   ///< of the pass only; of the time before where its result was known
    std::shared_ptr<const Graph> given;  ///< what the pass was run on; null unless it ran
    DeferredDifference difference;       ///< between the graph before and after; empty unless it ran
    std::vector<std::size_t> problems;   ///< indices into Execution::problems of those in the pass's report
    std::string refusal;                 ///< why it was refused, with its place; empty unless it was
};

/// The result of a plan's overlaps by hand, which come after all steps.
struct OverlapOutcome {
    std::vector<DirectiveOutcome> directives;  ///< one each; none where the pipeline was refused
    PassReport report;                         ///< with a problem for each that cannot hold; empty where there are none
    std::vector<std::size_t> problems;         ///< indices into Execution::problems of those in the report
    std::shared_ptr<const ModuleTree> modules;  ///< of the graph before them; null where there are none
    DeferredDifference difference;              ///< between the graph before and after them
    double run_ms = 0;                          ///< of finding and applying the order
};

/// A plan executed on a graph: passes, overlaps by hand, and what is wrong or remarkable.
struct Execution {
    std::shared_ptr<const ResolvedPlan> resolved;  ///< what was run; null for a graph without a plan
    std::shared_ptr<const Graph> original;         ///< as it was read: what a plan's fingerprint is of
    /// What the pipeline begins with: the original, with the modules that the plan's rules give. Its nodes are the
    /// original's.
    std::shared_ptr<const Graph> input;
    std::shared_ptr<const RepairedModules> repaired;  ///< the result of those rules; null where the plan has none
    std::shared_ptr<const Graph> graph;               ///< after the pipeline; the input where a step was refused
    /// One for each step that ran: the pass's own, and also, as problems, what is remarkable about the entries that the
    /// step was given, and why a pass that makes a process group has made none.
    std::vector<PassReport> reports;
    std::vector<StepOutcome> steps;  ///< one for each step of the plan's pipeline
    OverlapOutcome overlaps;
    std::shared_ptr<const Graph> undirected;  ///< what the overlaps by hand are applied to; `graph` where none holds
    std::vector<Problem> problems;  ///< of the plan, the passes, the overlaps and process groups, in this order
    bool refused = false;           ///< a step or the overlaps were refused; a problem says why
    /// The reason, for callers that cannot continue: with file and place `step 2 (eliminate_dead_code_pass), ...`.
    std::optional<InputError> refusal;

    /// For each node of `graph` its node in `input`, or no_node.
    std::vector<NodeId> origin;
    /// For each node of `graph` the index of the plan's entry whose bucket it belongs to (merged start, wait, packing
    /// and unpacking), or -1.
    std::vector<std::int32_t> bucket_of_node;

    /// Of the passes and the overlaps only.
    double run_ms() const;
};

enum class Strictness {
    lenient,  ///< a refusal is a problem, and the result is the input
    strict,   ///< a refusal is thrown
};

struct ExecutionOptions {
    std::stop_token stop{};
    Strictness strictness = Strictness::lenient;
    std::string plan_file{};  ///< or what names it in errors
    std::shared_ptr<PassResultCache> cache{};  ///< of results that need not be made again; null: all steps run
};

/// Runs the steps of a plan one after the other and applies its overlaps by hand. Nothing else runs plans.
/// @returns nothing when `stop` was requested.
/// @throws Execution::refusal if strict.
std::optional<Execution> execute(std::shared_ptr<const ResolvedPlan> resolved, ExecutionOptions options = {});

/// The modules of `graph`, by the source that the plan names, or that fits the input where there is no plan.
/// @param graph of the execution: before, between or after its steps.
std::shared_ptr<const ModuleTree> modules_of(const Execution& execution, const std::shared_ptr<const Graph>& graph);

/// The graph as it is.
Execution without_plan(const std::shared_ptr<const Graph>& graph);

}  // namespace overlap
