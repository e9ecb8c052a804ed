#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

ActionRow one_f_one_b_row(const ScheduleShape& shape, std::int32_t rank) {
    ActionRow row;
    row.reserve(static_cast<std::size_t>(shape.microbatches) * 2 + 2);
    const std::int32_t ahead = shape.ranks - 1 - rank;
    std::int32_t forward = 0, backward = 0;
    while (forward < ahead) row.add(rank, ActionKind::forward, forward++);
    while (forward < shape.microbatches) {
        row.add(rank, ActionKind::forward, forward++);
        row.add(rank, ActionKind::full_backward, backward++);
    }
    while (backward < shape.microbatches) row.add(rank, ActionKind::full_backward, backward++);
    row.add(rank, ActionKind::reduce_grad);
    row.add(rank, ActionKind::wait_reduce_grad);
    return row;
}

}  // namespace overlap::job
