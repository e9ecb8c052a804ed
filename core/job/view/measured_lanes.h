#pragma once

#include <cstdint>

#include "core/job/measured/measured_over_job.h"
#include "core/timeline/timeline_builder.h"

namespace overlap::job {

/// Adds measured ranks to a job's timeline, in the colours of what is predicted: of each rank a lane with its actions
/// and what it stood still for, and one for each kind of its communication. The reference of an event is the first one
/// plus its place in MeasuredOverJob::spans.
class MeasuredLanes {
  public:
    MeasuredLanes(const MeasuredOverJob& measured, std::uint32_t first_reference)
        : measured_(measured), first_reference_(first_reference) {}

    /// The compute of the measured ranks of a row of rank_rows().
    void add_compute(TimelineBuilder& builder, std::size_t row) const;
    void add_communication(TimelineBuilder& builder, std::size_t row) const;

  private:
    void add(TimelineBuilder& builder, std::uint32_t lane, std::size_t span) const;

    const MeasuredOverJob& measured_;
    std::uint32_t first_reference_;
};

}  // namespace overlap::job
