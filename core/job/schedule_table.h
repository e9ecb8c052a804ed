#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_changes.h"
#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// A job with one schedule. Shares are of all ranks' time, 0 to 1.
struct ScheduleRow {
    std::string name;
    bool is_own = false;  ///< the document's own schedule
    std::int32_t ranks = 0, stages_per_rank = 0;
    std::optional<double> step_ms;  ///< none where PyTorch makes no such schedule, or it cannot run
    double idle_share = 0, waiting_share = 0, transfer_share = 0;
    std::int32_t held_forwards = 0;          ///< at most, on the rank that holds most: see HeldActivations
    std::optional<std::int64_t> held_bytes;  ///< the same; nothing where a stage does not tell
    std::string refusal;                     ///< why there is none
    std::vector<std::string> notes;          ///< see JobResult::notes
};

/// The document's schedule, and each that PyTorch makes by name for the same stages and microbatches.
/// @param changes of the document that each row has, but for the schedule.
/// @throws InputError where the document has programs.
std::vector<ScheduleRow> schedule_table(const JobDocument& job, const PipelineOptions& options,
                                        const JobChanges& changes = {});
/// The notes of all rows, each once.
std::vector<std::string> notes_of(const std::vector<ScheduleRow>& rows);
std::string schedule_table_json(const std::vector<ScheduleRow>& rows);

}  // namespace overlap::job
