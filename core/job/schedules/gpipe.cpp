#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

ActionRow gpipe_row(const ScheduleShape& shape, std::int32_t rank) {
    ActionRow row;
    row.reserve(static_cast<std::size_t>(shape.microbatches) * 2 + 2);
    for (std::int32_t m = 0; m < shape.microbatches; ++m) row.add(rank, ActionKind::forward, m);
    for (std::int32_t m = 0; m < shape.microbatches; ++m) row.add(rank, ActionKind::full_backward, m);
    row.add(rank, ActionKind::reduce_grad);
    row.add(rank, ActionKind::wait_reduce_grad);
    return row;
}

}  // namespace overlap::job
