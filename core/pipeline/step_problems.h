#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass.h"
#include "core/pipeline/resolved_plan.h"

namespace overlap {

/// Adds to a pass's report what the pass itself does not report: what is remarkable about the entries that its step was
/// given, such as names that match nothing, which the reference silently ignores; and why a pass that moves collectives
/// to a new process group has moved none.
/// @param graph that the pass was run on.
void add_step_problems(const ResolvedPlan& resolved, const ResolvedStep& step,
                       const std::shared_ptr<const Graph>& graph, PassReport& report);

/// The first overlap among the entries that a step is given, if there is one: the reason why it is refused.
std::optional<Problem> overlap_of_entries(const ResolvedPlan& resolved, const ResolvedStep& step,
                                          const std::shared_ptr<const Graph>& graph);

/// Takes the problems of a report into the list of the whole plan. Those of the plan's entries are there already. For
/// entries in a step's own options the list has no numbers and fixes, which would be mistaken for those of the plan.
/// @param problems begins with those of the resolved plan.
/// @returns the places of the report's problems in that list, one each.
std::vector<std::size_t> list_step_problems(const ResolvedPlan& resolved, const ResolvedStep& step,
                                            const PassReport& report, std::vector<Problem>& problems);

}  // namespace overlap
