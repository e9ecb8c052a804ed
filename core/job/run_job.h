#pragma once

#include "core/job/document/job_document.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/step/job_result.h"

namespace overlap::job {

/// What the job does: stages and a schedule, or programs. Deterministic.
/// @throws InputError with the place: the document cannot be meant. That it cannot run is a problem of the result.
JobResult run_job(const JobDocument& job, const PipelineOptions& options = {});

}  // namespace overlap::job
