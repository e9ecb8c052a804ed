#pragma once

#include <cstdint>
#include <string>

#include "core/measure/measured_comparison.h"

namespace overlap {

/// How many collectives a simulated and a measured step have in common: whether the trace is of the job and the plan
/// that it is compared with.
struct JobMatch {
    std::uint32_t pairs = 0;
    std::uint32_t planned = 0, measured = 0;  ///< collectives of either side
    std::uint32_t in_order_alone = 0;         ///< pairs of which the trace says neither process group nor size
    bool is_simulated = false;                ///< the trace is of a simulated step, see TraceHeader

    /// Of the planned collectives those that are in the trace, and of the measured ones those that are in the plan;
    /// 1 where there are none.
    double share_of_planned() const;
    double share_of_measured() const;
    /// Less than half of the planned collectives are in the trace: what a comparison says of these is chance.
    bool is_another_job() const;
    /// Why the comparison is doubtful though is_another_job() is false: the step may be of another job, with both
    /// shares, or was simulated. A sentence without full stop; empty where there is no reason.
    std::string doubt() const;
};

JobMatch job_match(const MeasuredComparison& comparison);

/// @throws InputError without the file's name where JobMatch::is_another_job().
void require_same_job(const JobMatch& match);

}  // namespace overlap
