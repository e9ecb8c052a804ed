#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/job/schedules/checked_schedule.h"
#include "core/job/step/job_result.h"

namespace overlap::job {

/// What each pipeline rank of a schedule holds for backwards that are still to come, where that is most. A forward's
/// activations are held from its beginning to the end of its backward, or of its `W` where there are `I` and `W`.
/// @param bytes_of_stage what a forward of each stage leaves; nothing where that is not known.
std::vector<HeldActivations> held_activations(const CheckedSchedule& schedule,
                                              std::span<const std::optional<std::int64_t>> bytes_of_stage);

}  // namespace overlap::job
