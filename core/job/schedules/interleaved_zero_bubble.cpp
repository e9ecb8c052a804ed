#include "core/job/schedules/interleaved.h"

namespace overlap::job {

namespace {

/// PyTorch compares where each forward's input is, cell by cell over all ranks, and spaces the lists. That takes no
/// time here, and only spacing is added, so a rank's list is made alone and without that.
void add_weights(ActionRow& row, const InterleavedOrder& order, std::int64_t& weight, std::int64_t until) {
    while (weight < until) row.add(order.backward(weight++, ActionKind::backward_weight));
}

}  // namespace

ActionRow interleaved_zero_bubble_row(const ScheduleShape& shape, std::int32_t rank) {
    const InterleavedOrder order(shape, rank, 1);
    ActionRow row;
    row.reserve(static_cast<std::size_t>(order.operations) * 3);
    row.add_spacing(rank);
    for (std::int64_t step = 0; step < order.warmup; ++step) row.add(order.forward(step));
    if (order.warmup > 0) row.add_spacing(shape.ranks - rank - 1);
    std::int64_t backward = 0, weight = 0;
    // A weights' gradient follows each backward, `rank` of them later.
    for (std::int64_t step = order.warmup; backward < order.operations; ++step) {
        if (step < order.operations) row.add(order.forward(step));
        row.add(order.backward(backward++, ActionKind::backward_input));
        if (backward > rank) add_weights(row, order, weight, weight + 1);
    }
    add_weights(row, order, weight, order.operations);
    return row;
}

}  // namespace overlap::job
