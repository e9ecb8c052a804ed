#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/job/schedules/action.h"

namespace overlap::job {

/// What a schedule is made for. A stage's chunks lie on the ranks in a loop (stage s on rank s mod p), or in a V (two
/// stages a rank, stage s and 2p−1−s).
struct ScheduleShape {
    std::int32_t ranks = 1;
    std::int32_t microbatches = 1;
    std::int32_t stages_per_rank = 1;
    std::int32_t stages() const { return ranks * stages_per_rank; }
};

/// A schedule that PyTorch makes by name.
struct NamedSchedule {
    std::string_view name;
    std::int32_t usual_stages_per_rank;
    std::int32_t least_stages_per_rank, most_stages_per_rank;
    /// Why PyTorch does not make it for this shape, without a full stop; empty where it does.
    std::string (*refusal)(const ScheduleShape& shape);
    ActionRow (*row)(const ScheduleShape& shape, std::int32_t rank);
};

/// All that there are, in the order in which they are shown.
std::span<const NamedSchedule> named_schedules();
/// Null where there is none of that name.
const NamedSchedule* find_named_schedule(std::string_view name);

/// The lists that PyTorch 2.15 makes, 1F1B with the last rank's forwards numbered from 0.
/// @throws InputError without a place: PyTorch makes none for this shape, or more than `most_actions`.
ActionLists make_schedule(const NamedSchedule& schedule, const ScheduleShape& shape);

/// Actions that all lists of a job may have together: far more than jobs have, less than what fills the memory.
inline constexpr std::int64_t most_actions = 20'000'000;

// The rows, one function a schedule; each in a file of its own.

/// All forwards, then all backwards.
ActionRow gpipe_row(const ScheduleShape& shape, std::int32_t rank);
/// As many forwards as there are later ranks, then one forward, one backward.
ActionRow one_f_one_b_row(const ScheduleShape& shape, std::int32_t rank);
/// 1F1B over several stages a rank, in rounds of microbatches.
ActionRow interleaved_row(const ScheduleShape& shape, std::int32_t rank);
/// The same with the weights' gradients apart, which fill the bubble.
ActionRow interleaved_zero_bubble_row(const ScheduleShape& shape, std::int32_t rank);
/// Zero bubble, the two stages of a rank in a V.
ActionRow zbv_row(const ScheduleShape& shape, std::int32_t rank);
/// DualPipe in a V: forward of one stage and backward of the other at once.
ActionRow dual_pipe_v_row(const ScheduleShape& shape, std::int32_t rank);

}  // namespace overlap::job
