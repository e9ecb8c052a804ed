#pragma once

#include <optional>
#include <vector>

#include "core/job/job_evaluation.h"

namespace overlap::job {

/// What a stage takes for one microbatch, where nothing is slow: compute and what is exposed within. Where tokens are
/// routed unevenly, on the rank that has most of them, since all others wait for it; collectives that the topology
/// times have the time that they take in the step.
struct StageFigures {
    double forward_ms = 0;
    double backward_ms = 0;  ///< `B`, or `I` and `W` together
    double exposed_ms = 0;   ///< of both: communication within, during which nothing computes
};

/// Of each stage, for its first microbatch. Empty for programs.
std::vector<StageFigures> stage_figures(const JobEvaluation& evaluation);

/// The same of a job that is refused, whose stages take what they take; nothing for a stage that is what is refused,
/// and for one of which only the step tells it, with experts or collectives that have bytes.
std::vector<std::optional<StageFigures>> stage_figures(const JobDocument& job, const PipelineOptions& options);

}  // namespace overlap::job
