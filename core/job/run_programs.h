#pragma once

#include <stop_token>

#include "core/job/job_evaluation.h"

namespace overlap::job {

/// Runs the programs of the evaluation's document. @throws InputError with the place.
/// @param stop see PipelineOptions.
void run_programs(JobEvaluation& evaluation, const std::stop_token& stop = {});

}  // namespace overlap::job
