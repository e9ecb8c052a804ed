#include "core/job/schedules/interleaved.h"

namespace overlap::job {

ActionRow interleaved_row(const ScheduleShape& shape, std::int32_t rank) {
    const InterleavedOrder order(shape, rank, 2);
    ActionRow row;
    row.reserve(static_cast<std::size_t>(order.operations) * 3);
    row.add_spacing(rank);
    for (std::int64_t step = 0; step < order.warmup; ++step) row.add(order.forward(step));
    // Until the first backward has come back from the last rank.
    const std::int64_t first_backward =
        static_cast<std::int64_t>(shape.stages_per_rank) * shape.ranks + 2ll * (shape.ranks - 1 - rank);
    if (order.warmup > 0) row.add_spacing(first_backward - (order.warmup + rank));
    std::int64_t backward = 0;
    for (std::int64_t step = order.warmup; step < order.operations; ++step) {
        row.add(order.forward(step));
        row.add(order.backward(backward++, ActionKind::full_backward));
    }
    while (backward < order.operations) {
        row.add_spacing(1);
        row.add(order.backward(backward++, ActionKind::full_backward));
    }
    return row;
}

}  // namespace overlap::job
