#pragma once

#include "core/job/job_evaluation.h"

namespace overlap::job {

/// Runs the programs of the evaluation's document. @throws InputError with the place.
void run_programs(JobEvaluation& evaluation);

}  // namespace overlap::job
