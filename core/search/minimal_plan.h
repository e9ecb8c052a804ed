#pragma once

#include <vector>

#include "core/search/plan_search.h"
#include "core/search/search_rounds.h"

namespace overlap {

struct MinimalPlan {
    Candidate candidate;
    std::vector<PlanElement> elements;  ///< what is left, most worth first
    std::size_t evaluations = 0;        ///< beside those that `rounds` counts
};

/// Takes out of a plan what is worth less than a thousandth of the step, as long as the step stays within `most_ms` and
/// the peak within the limit. It evaluates at most a sixth of the search's effort more, or eight; what is not
/// evaluated stays, and is not listed.
MinimalPlan minimal_plan(const CandidateEvaluator& evaluator, const SearchRounds& rounds, const Candidate& found,
                         double most_ms);

}  // namespace overlap
