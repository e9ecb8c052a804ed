#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/measure/measured_comparison.h"
#include "core/timeline/timeline_builder.h"
#include "ui/measure/measurement.h"

namespace overlap::ui {

/// Collectives of a measured step that are collectives of a plan look as they do there: what is in a bucket has its
/// colour. By numbers of events in the step's trace; what is in no bucket and what the plan has not are left out.
std::vector<ReferenceRole> measuredColours(const MeasuredComparison& comparison);

/// The timeline of a measurement in these colours, for all of its ranks, GPUs and steps. For worker threads.
/// @returns nothing where none has a colour of the plan's: it was stopped, or the trace is of another job.
std::shared_ptr<const Timeline> colouredTimeline(const Measurement& measurement,
                                                 const std::shared_ptr<const Evaluation>& evaluation,
                                                 const std::stop_token& stop);

}  // namespace overlap::ui
