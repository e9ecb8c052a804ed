#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// How far each rank of a step came that cannot run, in the order of the graph's ranks.
/// @param why what a node that never ends waits for where that is nothing of the job; may be null.
std::vector<RankReach> reached(const StepGraph& graph, const StepOrder& order, const NodeNames& names,
                               const std::function<std::string(NodeIndex)>& why = nullptr);

/// `rank 0 ended 0F3 and stands before 0B0; rank 1 …`: those that stand still first, and of many the first ones.
/// Where a rank waits for nothing of the job it says why: `rank 0 ended k and stands before r, where rank 1 never
/// comes`. Without full stop; empty where the job can run.
std::string reached_text(const JobResult& result);

}  // namespace overlap::job
