#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/search/plan_search.h"
#include "core/search/search_rounds.h"

namespace overlap {

struct MinimalPlan {
    Candidate candidate;
    std::vector<PlanElement> elements;  ///< what is left, most worth first
    std::size_t evaluations = 0;        ///< beside those that `rounds` counts
};

/// What a plan may come to when something is taken out of it.
struct MinimalPlanLimits {
    double step_ms = 0;
    std::int64_t peak_bytes = 0;
};

/// Takes out of a plan what is worth less than a thousandth of the step, as long as step and peak stay within `most`,
/// and the plan one that `may_be`. For that it evaluates at most a sixth of the search's effort more, or eight; what is
/// not evaluated stays. Then it evaluates what is left without each of its parts, whatever the effort.
MinimalPlan minimal_plan(const CandidateEvaluator& evaluator, const SearchRounds& rounds, const Candidate& found,
                         MinimalPlanLimits most, const std::function<bool(const Plan&)>& may_be);

/// What each part of a plan is worth, most worth first: of all its parts, as minimal_plan() weighs those of the best.
/// @param graph as search_plans() had it.
/// @param options of that search: what the simulations are of, threads, stop. Its limit and its locks play no part.
/// @returns fewer when stop was requested; nothing for a plan that cannot be used.
std::vector<PlanElement> worth_of_parts(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                        const SearchOptions& options);

}  // namespace overlap
