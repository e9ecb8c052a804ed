#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// Index of the step in which, or after which, the host was at a time; no_index before the first one.
/// @param steps in order of time.
std::uint32_t step_at(std::span<const MeasuredStep> steps, std::int64_t host_ns);

/// For each activity the index of the step that launched it; no_index for what was launched before the first one. A
/// launch between two steps counts for the earlier one. An activity without a launch counts for the step of the
/// activity before it on its stream, or, at the beginning of the stream, of the one after it.
std::vector<std::uint32_t> steps_of_activities(const MeasuredTrace& trace);

/// Index of the last step where there are several, else the number of steps: steps from here on are not counted.
std::uint32_t first_step_left_out(const MeasuredTrace& trace);

}  // namespace overlap
