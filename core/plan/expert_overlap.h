#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/plan/plan.h"

namespace overlap {

/// Who computes modules for one half of the batch and then for the other.
enum class HalvedBy : std::uint8_t {
    pass,    ///< the plan's: torchtitan's strategy `graph`
    model,   ///< the model: torchtitan's strategy `eager`
    before,  ///< a pass that has been run before the graph was exported
};

/// What torchtitan's compile.ep_overlap asks for: all-to-alls of experts run behind the other half of the batch.
/// Several passes carry it out, none of which is of use without the others.
struct ExpertOverlap {
    HalvedBy halved_by = HalvedBy::pass;
    std::string module_pattern;  ///< compile.ep_overlap.module_fqn: `layers.*` or `layers.*.moe`
    std::string dimension;  ///< compile.ep_overlap.chunk_dim: `batch` or `seq`; empty where no pass of the plan halves

    bool operator==(const ExpertOverlap&) const = default;
};

/// What a graph leaves to choose.
struct ExpertOverlapChoices {
    std::vector<ExpertOverlap> list;  ///< torchtitan's default first
    std::string obstacle;             ///< why there are none, as a clause; empty where there are some
};

/// @param tree the graph's, by preferred_module_source().
ExpertOverlapChoices expert_overlap_choices(const Graph& graph, const ModuleTree& tree);

/// The passes that carry out an overlap, in the order in which they run.
std::vector<std::string> expert_overlap_passes(HalvedBy halved_by);

/// Which overlap the steps of a plan that are switched on ask for; nothing where none of its passes is among them.
std::optional<ExpertOverlap> expert_overlap_of(const Plan& plan);

/// The passes that a plan lacks, or has switched off, of those that belong together, where it has others of them: two
/// problems then, what is missing with the fix to put it back, and the fix to remove the rest.
/// @param graph what the plan is for.
std::vector<Problem> check_expert_overlap(const Graph& graph, const Plan& plan);

namespace edits {

/// The plan with all passes of an overlap, each switched on, with options that say it, at torchtitan's place; and with
/// the pass that gives all-to-alls a process group of their own, as torchtitan has it with an overlap.
Plan with_expert_overlap(Plan plan, const ExpertOverlap& overlap);
/// The plan without any pass of an overlap. All-to-alls keep a process group of their own: it is of use without, too.
Plan without_expert_overlap(Plan plan);
/// The plan with the passes that it lacks of the overlap that it asks for. Steps that are switched on stay as they are.
Plan with_rest_of_expert_overlap(Plan plan);
/// The plan with optimize_grad_live_out switched off in each ep_overlap_chunk_pass: gradients of the halves are then
/// joined behind the views and reductions that pass them on. It is the fix of a JoinedGradientRefusal.
Plan with_gradients_joined_last(Plan plan);

}  // namespace edits

}  // namespace overlap
