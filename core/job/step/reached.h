#pragma once

#include <string>
#include <vector>

#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// How far each rank of a step came that cannot run, in the order of the graph's ranks.
std::vector<RankReach> reached(const StepGraph& graph, const StepOrder& order, const NodeNames& names);

/// `rank 0 ended 0F3 and stands before 0B0; rank 1 …`: those that stand still first, and of many the first ones.
/// Without full stop; empty where the job can run.
std::string reached_text(const JobResult& result);

}  // namespace overlap::job
