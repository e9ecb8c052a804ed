#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/group_settings.h"
#include "core/graph/module_tree.h"
#include "core/modules/module_repair.h"
#include "core/passes/pass.h"
#include "core/plan/plan.h"

namespace overlap {

/// A step of a plan's pipeline that is switched on.
struct ResolvedStep {
    std::size_t index = 0;  ///< in the plan's pipeline
    PassStep step;          ///< as it is run: with the plan's entries or memory section where it takes them
    bool of_plan = false;   ///< the entries in its options are the plan's own
};

/// A plan applied to a graph, with all that follows from the two before a pass is run. It is made once for an
/// evaluation, and all code that shows, explains or exports the result uses the same one. Immutable once made.
struct ResolvedPlan {
    Plan plan;
    std::shared_ptr<const Graph> original;  ///< as it was read
    /// What the pipeline begins with: the original, with the modules that the plan's rules give.
    std::shared_ptr<const Graph> input;
    std::shared_ptr<const RepairedModules> repaired;  ///< what the rules gave; null where the plan has none
    /// Of the input, by the source from which the plan's entries and overlaps take modules.
    std::shared_ptr<const ModuleTree> modules;
    std::vector<ResolvedStep> steps;          ///< those that are switched on, in order
    std::vector<std::int32_t> entry_of_node;  ///< for each node of the input the first entry that names it, or -1
    /// Of the plan itself: first those of its entries, then those of module rules, device orders and parts that are not
    /// evaluated.
    std::vector<Problem> problems;
    std::size_t entry_problems = 0;  ///< how many of the problems are those of the plan's entries

    /// The modules of a graph; `modules` itself where these are the requested ones.
    std::shared_ptr<const ModuleTree> modules_of(const std::shared_ptr<const Graph>& graph, ModuleSource source) const;
    /// By the same source as `modules`.
    std::shared_ptr<const ModuleTree> modules_of(const std::shared_ptr<const Graph>& graph) const;
    /// What the plan requests for process groups.
    /// @throws InputError with the place in the plan where that cannot be read, or `result` has no such group.
    const std::vector<GroupSettings>& require_groups(const Graph& result) const;
};

/// Errors in the plan become problems, never exceptions.
std::shared_ptr<const ResolvedPlan> resolve(const std::shared_ptr<const Graph>& graph, const Plan& plan);

/// `step 2 (eliminate_dead_code_pass)`, for messages. @param step counts the steps that are switched on, from 0.
std::string place_of_step(const ResolvedPlan& resolved, std::size_t step);

}  // namespace overlap
