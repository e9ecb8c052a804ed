#include <array>
#include <utility>

#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

namespace {

class DualPipeVRow {
  public:
    DualPipeVRow(const ScheduleShape& shape, std::int32_t rank) : stage_{rank, 2 * shape.ranks - 1 - rank} {
        row_.reserve(static_cast<std::size_t>(shape.microbatches) * 6);
    }
    void forward(int chunk) { row_.add(next_forward(chunk)); }
    /// @param split the input's gradient alone; the weights' waits until weight().
    void backward(int chunk, bool split) {
        const Action action = next_backward(chunk, split ? ActionKind::backward_input : ActionKind::full_backward);
        row_.add(action);
        if (split) pending_.push_back({action.stage, action.microbatch, ActionKind::backward_weight});
    }
    /// The oldest weights' gradient that waits.
    void weight() {
        if (taken_ < pending_.size()) row_.add(pending_[taken_++]);
    }
    void forward_and_backward(int forward_chunk, int backward_chunk) {
        const std::array<Action, 2> parts = {next_forward(forward_chunk),
                                             next_backward(backward_chunk, ActionKind::full_backward)};
        row_.add(parts);
    }
    ActionRow take() { return std::move(row_); }

  private:
    Action next_forward(int chunk) { return {stage_[chunk], forwards_[chunk]++, ActionKind::forward}; }
    Action next_backward(int chunk, ActionKind kind) { return {stage_[chunk], backwards_[chunk]++, kind}; }

    ActionRow row_;
    std::array<std::int32_t, 2> stage_, forwards_{}, backwards_{};
    std::vector<Action> pending_;
    std::size_t taken_ = 0;
};

}  // namespace

ActionRow dual_pipe_v_row(const ScheduleShape& shape, std::int32_t rank) {
    const std::int32_t later = shape.ranks - rank - 1;
    DualPipeVRow row(shape, rank);
    for (std::int32_t i = 0; i < 2 * later; ++i) row.forward(0);
    for (std::int32_t i = 0; i <= rank; ++i) {
        row.forward(0);
        row.forward(1);
    }
    for (std::int32_t i = 0; i < later; ++i) {
        row.backward(1, true);
        row.weight();
        row.forward(1);
    }
    const std::int32_t steady = shape.microbatches - 2 * shape.ranks + rank + 1;
    for (std::int32_t i = 0; i < steady; ++i) {
        if (i == 0 && rank == shape.ranks - 1) {
            // The turn of the V: one after the other is the smaller bubble.
            row.forward(0);
            row.backward(1, false);
        } else {
            row.forward_and_backward(0, 1);
        }
        row.forward_and_backward(1, 0);
    }
    for (std::int32_t i = 0; i < later; ++i) {
        row.backward(1, false);
        row.forward_and_backward(1, 0);
    }
    // The second half of what remains splits its backwards; odd ranks begin with stage 1, even ones with stage 0.
    bool split = false;
    for (std::int32_t i = 0; i <= rank; ++i) {
        const bool half = i == (rank + 1) / 2;
        if (half && rank % 2 == 1) split = true;
        row.backward(1, split);
        if (half && rank % 2 == 0) split = true;
        row.backward(0, split);
    }
    for (std::int32_t i = 0; i < later; ++i) {
        row.weight();
        row.backward(0, split);
    }
    for (std::int32_t i = 0; i <= rank; ++i) row.weight();
    return row.take();
}

}  // namespace overlap::job
