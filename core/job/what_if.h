#pragma once

#include <string>
#include <vector>

#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// The job's step without one thing that makes it longer.
struct WhatIf {
    std::string without;  ///< such as `slow replica 1, stage 3`
    double step_ms = 0;
    double saved_share = 0;  ///< of the job's step; below 0 where the job is faster with it, as with a factor below 1
};

/// What each thing costs, the dearest first: each slow entry, those of a stage, replica or host (a unit of the
/// topology's innermost level) together, messages, gradient collectives, communication within stages, tokens
/// that are routed unevenly, each stage's compute beyond the mean of all stages, and of stages whose times are given as
/// `ms` each kind of action beyond its mean.
/// @throws InputError as run_job, and where the document has programs or the job cannot run.
std::vector<WhatIf> what_ifs(const JobDocument& job, const PipelineOptions& options);
std::string what_ifs_json(const std::vector<WhatIf>& rows);

}  // namespace overlap::job
