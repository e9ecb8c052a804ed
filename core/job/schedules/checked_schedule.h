#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/schedules/action.h"

namespace overlap::job {

/// Lists that run each stage on each microbatch exactly once.
struct CheckedSchedule {
    ActionLists lists;
    std::int32_t stages = 0;
    std::int32_t microbatches = 0;
    std::vector<std::int32_t> rank_of_stage;
    std::vector<std::string> notes;  ///< what was repaired, a sentence without full stop each
};

/// Checks lists as PyTorch's own validation does, and more strictly: each stage on one rank; forward, and `B` or `I`
/// with `W`, of each microbatch exactly once; a backward after its forward, `W` after its `I`, on their rank. What 1F1B
/// of PyTorch 2.15 makes of the last rank, forwards numbered from 1, is repaired with a note. Whether ranks wait for
/// each other in a circle is left to the simulation.
/// @throws InputError with rank, cell and what is wrong.
CheckedSchedule check_schedule(ActionLists lists, std::int32_t stages, std::int32_t microbatches);

}  // namespace overlap::job
