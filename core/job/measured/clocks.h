#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/job/job_evaluation.h"
#include "core/job/measured/measured_job.h"

namespace overlap::job {

/// What to add to the times of each rank so that they are of one clock.
struct ClockOffsets {
    std::vector<std::int64_t> ns;
    bool of_one_clock = true;  ///< nothing says how far the clocks of different pipelines are apart: false
};

/// See measured_job(). @param ranks with times of their own clocks.
/// @param notes receives what was done, in sentences without full stop.
ClockOffsets clock_offsets(const JobEvaluation& evaluation, std::span<const MeasuredRank> ranks,
                           std::span<const NamedTrace> traces, std::vector<std::string>& notes);

/// The action on whose message an action waits: forwards for the stage before, backwards for the one behind. Several,
/// where a backward may be whole or of the input alone; none at the ends of the pipeline and for other actions.
std::vector<Action> awaited_actions(const Action& action, std::int32_t stages);

}  // namespace overlap::job
