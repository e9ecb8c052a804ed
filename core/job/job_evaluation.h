#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/program_step.h"
#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// A job's result with what it was made of: the step of stages or of programs, and when each of its nodes ran.
/// Immutable and shared; it has the document that the steps refer to.
struct JobEvaluation {
    std::shared_ptr<const JobDocument> job;
    JobResult result;
    std::optional<PipelineStep> pipeline;  ///< of stages and a schedule
    std::optional<ProgramStep> programs;   ///< or of programs
    StepTimes times;                       ///< where the job cannot run, of what ended before it stood still
    std::vector<std::uint8_t> ended;       ///< of each node, whether it did, there; empty where all do
    NodeNames names;

    bool has_ended(NodeIndex node) const { return ended.empty() || ended[node] != 0; }
    const StepGraph& graph() const { return pipeline ? pipeline->graph : programs->graph; }
};

/// @throws InputError with the place: the document cannot be meant. That it cannot run is a problem of the result.
std::shared_ptr<const JobEvaluation> evaluate_job(std::shared_ptr<const JobDocument> job,
                                                  const PipelineOptions& options = {});

}  // namespace overlap::job
