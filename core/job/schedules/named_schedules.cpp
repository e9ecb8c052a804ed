#include "core/job/schedules/named_schedules.h"

#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/base/grouped_number.h"

namespace overlap::job {

namespace {

/// `1 stage`, `2 microbatches`.
std::string number_of(std::int32_t count, const std::string& noun) {
    const char* plural = noun.ends_with("ch") ? "es" : "s";
    return std::to_string(count) + " " + noun + (count == 1 ? "" : plural);
}

std::string always(const ScheduleShape&) {
    return {};
}

std::string no_fewer_than_stages(const ScheduleShape& shape) {
    if (shape.microbatches >= shape.stages()) return {};
    return "PyTorch makes it for at least as many microbatches as stages, " + std::to_string(shape.stages());
}

std::string whole_rounds(const ScheduleShape& shape) {
    const std::int32_t rounds = std::max(1, shape.microbatches / shape.ranks);
    if (shape.microbatches % rounds == 0) return {};
    return "PyTorch makes it for microbatches that are a multiple of its " + std::to_string(rounds) + " rounds";
}

constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();
constexpr std::array<NamedSchedule, 6> schedules = {{
    {"GPipe", 1, 1, 1, always, gpipe_row},
    {"1F1B", 1, 1, 1, no_fewer_than_stages, one_f_one_b_row},
    {"Interleaved1F1B", 2, 2, any, whole_rounds, interleaved_row},
    {"InterleavedZeroBubble", 2, 2, any, whole_rounds, interleaved_zero_bubble_row},
    {"ZBVZeroBubble", 2, 2, 2, always, zbv_row},
    {"DualPipeV", 2, 2, 2, no_fewer_than_stages, dual_pipe_v_row},
}};

}  // namespace

std::span<const NamedSchedule> named_schedules() {
    return schedules;
}

const NamedSchedule* find_named_schedule(std::string_view name) {
    for (const NamedSchedule& schedule : schedules)
        if (schedule.name == name) return &schedule;
    return nullptr;
}

ActionLists make_schedule(const NamedSchedule& schedule, const ScheduleShape& shape) {
    const std::string shape_text = std::string(schedule.name) + " with " + number_of(shape.ranks, "rank") + ", " +
                                   number_of(shape.stages_per_rank, "stage") + " a rank and " +
                                   number_of(shape.microbatches, "microbatch");
    if (shape.stages_per_rank < schedule.least_stages_per_rank ||
        shape.stages_per_rank > schedule.most_stages_per_rank) {
        const bool one_number = schedule.least_stages_per_rank == schedule.most_stages_per_rank;
        throw InputError("", shape_text + ": expected " + (one_number ? "" : "at least ") +
                                 number_of(schedule.least_stages_per_rank, "stage") + " a rank");
    }
    // ZBVZeroBubble fills lists up to 2p − 1 microbatches, with spacing.
    const std::int64_t filled = std::max<std::int64_t>(shape.microbatches, 2ll * shape.ranks);
    if (3.0 * static_cast<double>(filled) * shape.ranks * shape.stages_per_rank > static_cast<double>(most_actions))
        throw InputError("", shape_text + ": more than " + grouped_text(most_actions) + " actions");
    if (const std::string refusal = schedule.refusal(shape); !refusal.empty())
        throw InputError("", shape_text + ": " + refusal);
    ActionLists lists;
    lists.reserve(static_cast<std::size_t>(shape.ranks));
    for (std::int32_t rank = 0; rank < shape.ranks; ++rank) lists.push_back(schedule.row(shape, rank));
    return lists;
}

}  // namespace overlap::job
