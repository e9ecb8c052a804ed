#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/search/candidate.h"

namespace overlap {

/// What is wrong with the plan to start from, and not with the graph.
class StartPlanError : public InputError {
  public:
    explicit StartPlanError(const std::string& problem) : InputError("", problem) {}
};

/// The plan to start from, evaluated. Overlaps that do not hold were taken out of it.
/// @throws StartPlanError where it cannot be used, with what it would have to do without.
Candidate start_candidate(const CandidateEvaluator& evaluator, const Plan& start);

/// Gives a plan what no pass reads and a job does, as the plan to start from has it, but for settings of groups that
/// the plan does not have: a run would refuse them.
/// @param made the process groups that the plan's passes make.
/// @returns the groups whose settings are left out.
std::vector<std::string> keep_what_passes_do_not_read(Plan& plan, const std::vector<std::string>& made,
                                                      const Plan& start, const Graph& graph);

}  // namespace overlap
