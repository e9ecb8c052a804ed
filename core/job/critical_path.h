#pragma once

#include <vector>

#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"

namespace overlap::job {

/// From the step's beginning to its end without a gap: each stretch starts when what it waited for ended. A message on
/// its way is a stretch of its own, parts of an operation that follow each other are one; what takes no time is left
/// out.
std::vector<PathStep> critical_path(const StepGraph& graph, const StepTimes& times, const NodeNames& names);

}  // namespace overlap::job
