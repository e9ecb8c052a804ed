#include "core/job/schedules/checked_schedule.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace overlap::job {

namespace {

/// What has been seen of one stage and microbatch: a bit each of F, I, W, B.
constexpr std::uint8_t bit(ActionKind kind) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
}
constexpr std::uint8_t forward = bit(ActionKind::forward), input = bit(ActionKind::backward_input),
                       weight = bit(ActionKind::backward_weight), full = bit(ActionKind::full_backward);

class Check {
  public:
    Check(CheckedSchedule& schedule) : schedule_(schedule) {}

    void run() {
        const std::size_t pairs = static_cast<std::size_t>(schedule_.stages) * schedule_.microbatches;
        std::size_t actions = 0;
        for (const ActionRow& row : schedule_.lists) actions += row.actions().size();
        // Before memory is taken for what a document merely counts.
        if (pairs > actions) {
            throw InputError("", std::to_string(schedule_.stages) + " stages on " +
                                     std::to_string(schedule_.microbatches) + " microbatches have " +
                                     std::to_string(pairs) + " forwards, and the lists have " +
                                     std::to_string(actions) + " actions");
        }
        seen_.assign(pairs, 0);
        schedule_.rank_of_stage.assign(static_cast<std::size_t>(schedule_.stages), -1);
        for (rank_ = 0; rank_ < schedule_.lists.size(); ++rank_) {
            const ActionRow& row = schedule_.lists[rank_];
            for (cell_ = 0; cell_ < row.size(); ++cell_)
                for (const Action& action : row[cell_]) see(action);
        }
        for (std::size_t pair = 0; pair < pairs; ++pair) require_all(pair);
    }

  private:
    [[noreturn]] void fail(const Action& action, const std::string& problem) const {
        throw InputError("rank " + std::to_string(rank_) + ", cell " + std::to_string(cell_ + 1),
                         action_text(action) + " " + problem);
    }

    void see(const Action& action) {
        if (action.stage >= schedule_.stages)
            fail(action, "is of a stage that the job does not have; it has " + std::to_string(schedule_.stages));
        std::int32_t& rank = schedule_.rank_of_stage[static_cast<std::size_t>(action.stage)];
        if (rank < 0) rank = static_cast<std::int32_t>(rank_);
        if (rank != static_cast<std::int32_t>(rank_))
            fail(action, "is of a stage that rank " + std::to_string(rank) + " has already");
        if (action.microbatch >= schedule_.microbatches) {
            fail(action, "is of a microbatch that the job does not have; it has " +
                             std::to_string(schedule_.microbatches) + ", numbered from 0");
        }
        if (is_compute(action.kind)) see_compute(action);
    }

    void see_compute(const Action& action) {
        std::uint8_t& seen = seen_[static_cast<std::size_t>(action.stage) * schedule_.microbatches + action.microbatch];
        const std::uint8_t now = bit(action.kind);
        if (seen & now) fail(action, "is there twice");
        if (now != forward && !(seen & forward)) fail(action, "stands before the forward of its stage and microbatch");
        if (now == full && (seen & (input | weight))) fail(action, "follows a backward of the same in parts");
        if ((now & (input | weight)) && (seen & full)) fail(action, "follows a full backward of the same");
        if (now == weight && !(seen & input)) fail(action, "stands before the I of its stage and microbatch");
        seen |= now;
    }

    void require_all(std::size_t pair) const {
        const std::uint8_t seen = seen_[pair];
        const bool whole = (seen & full) || ((seen & input) && (seen & weight));
        if ((seen & forward) && whole) return;
        const std::int32_t stage = static_cast<std::int32_t>(pair / schedule_.microbatches);
        const Action missing = {stage, static_cast<std::int32_t>(pair % schedule_.microbatches),
                                !(seen & forward) ? ActionKind::forward
                                : (seen & input)  ? ActionKind::backward_weight
                                                  : ActionKind::full_backward};
        const std::int32_t rank = schedule_.rank_of_stage[static_cast<std::size_t>(stage)];
        throw InputError(rank < 0 ? "" : "rank " + std::to_string(rank),
                         action_text(missing) + " is missing: each stage runs on each microbatch once");
    }

    CheckedSchedule& schedule_;
    std::vector<std::uint8_t> seen_;
    std::size_t rank_ = 0, cell_ = 0;
};

/// The last rank of 1F1B as PyTorch 2.15 numbers it: forwards 1 to m, backwards 0 to m−1. It can only be meant as 0 to
/// m−1.
void repair_last_rank(CheckedSchedule& schedule) {
    ActionRow& row = schedule.lists.back();
    std::int32_t forwards = 0, backwards = 0;
    for (const Action& action : std::as_const(row).actions()) {
        if (action.stage != schedule.stages - 1) return;
        if (action.kind == ActionKind::forward && action.microbatch != ++forwards) return;
        if (action.kind == ActionKind::full_backward && action.microbatch != backwards++) return;
        if (action.kind == ActionKind::backward_input || action.kind == ActionKind::backward_weight) return;
    }
    if (forwards != schedule.microbatches || backwards != schedule.microbatches) return;
    for (Action& action : row.actions())
        if (action.kind == ActionKind::forward) --action.microbatch;
    schedule.notes.push_back("rank " + std::to_string(schedule.lists.size() - 1) + ": forwards numbered 1 to " +
                             std::to_string(schedule.microbatches) +
                             ", as 1F1B of PyTorch 2.15 writes the last rank, are taken as 0 to " +
                             std::to_string(schedule.microbatches - 1));
}

}  // namespace

CheckedSchedule check_schedule(ActionLists lists, std::int32_t stages, std::int32_t microbatches) {
    CheckedSchedule schedule{std::move(lists), stages, microbatches, {}, {}};
    if (schedule.lists.empty()) throw InputError("", "no rank has a list");
    repair_last_rank(schedule);
    Check(schedule).run();
    return schedule;
}

}  // namespace overlap::job
