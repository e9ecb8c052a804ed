#pragma once

#include <string>
#include <vector>

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap {

/// What a training job needs besides a plan to apply it and to check that the result is what the application showed:
/// the section `job` of the plan's document. It describes the graph that the plan is for and the graph that it makes,
/// node for node, and is derived data: the application recreates it with every export and drops it when it reads a
/// plan. The fields are described in resources/schemas/overlap-plan.schema.json; resources/torch/overlap_studio reads
/// them.
///
/// @param evaluation of `plan`.
/// @throws InputError where the plan is refused, since there is nothing to apply then, where the passes of one step
/// change what `control_deps` of an earlier one wrap, or where settings of process groups are impossible.
Json job_section(const Plan& plan, const Evaluation& evaluation);

/// The plan's document with this section, which comes last; each node is on a line of its own.
std::string write_job_plan_text(const Plan& plan, const Evaluation& evaluation);

/// What a job will not do, or only in one way, as sentences without full stop: overlaps by hand that cannot hold,
/// options that PyTorch does not know, settings of groups that the job itself makes.
std::vector<std::string> job_plan_notes(const Plan& plan, const Evaluation& evaluation);

}  // namespace overlap
