#pragma once

#include <string>

#include "core/job/document/job_document.h"
#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// The job as a Chrome trace (the JSON object form of the Trace Event Format) for Perfetto: one process for each class
/// of ranks, called after the ranks in it; a thread for each of its streams. Times are in microseconds. What a rank
/// stands still for is an event of its own, and arrows lead from actions to those that their messages start.
/// @throws InputError as run_job, and where the job cannot run.
std::string job_trace_json(const JobDocument& job, const PipelineOptions& options);

}  // namespace overlap::job
