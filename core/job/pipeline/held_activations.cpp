#include "core/job/pipeline/held_activations.h"

#include <algorithm>

namespace overlap::job {

namespace {

HeldActivations most_held(const ActionRow& row, std::span<const std::optional<std::int64_t>> bytes_of_stage) {
    HeldActivations most{.forwards = 0, .bytes = 0};
    std::int32_t forwards = 0;
    std::int64_t bytes = 0;
    const auto add = [&](const Action& action, std::int32_t sign) {
        const std::optional<std::int64_t>& each = bytes_of_stage[static_cast<std::size_t>(action.stage)];
        if (!each) most.bytes.reset();
        forwards += sign;
        bytes += sign * each.value_or(0);
    };
    // Of a cell of several at once the forward begins before the backward has ended.
    for (std::size_t cell = 0; cell < row.size(); ++cell) {
        for (const Action& action : row[cell])
            if (action.kind == ActionKind::forward) add(action, 1);
        most.forwards = std::max(most.forwards, forwards);
        if (most.bytes) most.bytes = std::max(*most.bytes, bytes);
        for (const Action& action : row[cell])
            if (action.kind == ActionKind::full_backward || action.kind == ActionKind::backward_weight) add(action, -1);
    }
    return most;
}

}  // namespace

std::vector<HeldActivations> held_activations(const CheckedSchedule& schedule,
                                              std::span<const std::optional<std::int64_t>> bytes_of_stage) {
    std::vector<HeldActivations> held;
    held.reserve(schedule.lists.size());
    for (const ActionRow& row : schedule.lists) held.push_back(most_held(row, bytes_of_stage));
    return held;
}

}  // namespace overlap::job
