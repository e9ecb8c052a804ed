#pragma once

#include <cstdint>
#include <optional>

#include "core/job/view/job_timeline.h"

namespace overlap::ui {

/// Figures of a job's step, for display and for differences.
struct JobFigures {
    double step_ms = 0;
    // Of all ranks' time, 0 to 1; the first is the sum of the others.
    double idle_share = 0, waiting_share = 0, transfer_share = 0;
    double done_share = 0;  ///< with nothing left to do in this step
    std::int64_t ranks = 0;
    std::int32_t microbatches = 0;  ///< of a step; 0 for programs
};

/// Nothing where there is no picture or the job cannot run.
std::optional<JobFigures> figuresOf(const job::JobPicture* picture);

/// What a rank gets done in a second, compared with the job as it was opened: its share of the step's microbatches, 0.1
/// for a tenth more. Nothing where both steps do the same on as many ranks, and for programs.
std::optional<double> throughputGain(const JobFigures& figures, const JobFigures& opened);

}  // namespace overlap::ui
