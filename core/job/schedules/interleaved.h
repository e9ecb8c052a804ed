#pragma once

#include <algorithm>
#include <cstdint>

#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

/// In which order one rank of an interleaved schedule takes its stages: a round of microbatches of its first stage, the
/// same of its second, and so on; backwards from the last stage.
struct InterleavedOrder {
    InterleavedOrder(const ScheduleShape& of, std::int32_t of_rank, std::int32_t warmup_for_each_later_rank)
        : shape(of), rank(of_rank) {
        const std::int32_t rounds = std::max(1, shape.microbatches / shape.ranks);
        round = shape.microbatches / rounds;
        operations = static_cast<std::int64_t>(shape.stages_per_rank) * shape.microbatches;
        warmup = std::min<std::int64_t>(
            operations, static_cast<std::int64_t>(shape.stages_per_rank - 1) * round +
                            static_cast<std::int64_t>(warmup_for_each_later_rank) * (shape.ranks - 1 - rank));
    }
    /// The `step`-th forward or backward of the rank.
    Action forward(std::int64_t step) const {
        return of(step, (step / round) % shape.stages_per_rank, ActionKind::forward);
    }
    Action backward(std::int64_t step, ActionKind kind) const {
        return of(step, shape.stages_per_rank - 1 - (step / round) % shape.stages_per_rank, kind);
    }

    ScheduleShape shape;
    std::int32_t rank;
    std::int32_t round = 1;       ///< microbatches of a round
    std::int64_t operations = 0;  ///< forwards of the rank, and as many backwards
    std::int64_t warmup = 0;      ///< forwards before the first backward

  private:
    Action of(std::int64_t step, std::int64_t chunk, ActionKind kind) const {
        const std::int64_t rounds_before = step / (static_cast<std::int64_t>(round) * shape.stages_per_rank);
        return {static_cast<std::int32_t>(chunk * shape.ranks + rank),
                static_cast<std::int32_t>(rounds_before * round + step % round), kind};
    }
};

}  // namespace overlap::job
