#include <algorithm>

#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

namespace {

/// Makes the list for at least 2p − 1 microbatches, which fill the pipeline; those that the job lacks become spacing.
class ZbvRow {
  public:
    ZbvRow(const ScheduleShape& shape, std::int32_t rank)
        : microbatches_(shape.microbatches), stage_{rank, 2 * shape.ranks - 1 - rank} {
        row_.reserve(static_cast<std::size_t>(std::max(2 * shape.ranks - 1, shape.microbatches)) * 6);
        row_.add_spacing(rank);
    }
    void forward(int chunk) { add(chunk, ActionKind::forward, forwards[chunk]++); }
    void input(int chunk) { add(chunk, ActionKind::backward_input, inputs[chunk]++); }
    void weight(int chunk) { add(chunk, ActionKind::backward_weight, weights[chunk]++); }
    void input_and_weight(int chunk) {
        input(chunk);
        weight(chunk);
    }
    ActionRow take() { return std::move(row_); }

    std::int32_t forwards[2] = {0, 0}, inputs[2] = {0, 0}, weights[2] = {0, 0};

  private:
    void add(int chunk, ActionKind kind, std::int32_t microbatch) {
        if (microbatch < microbatches_)
            row_.add(stage_[chunk], kind, microbatch);
        else
            row_.add_spacing(1);
    }

    ActionRow row_;
    std::int32_t microbatches_;
    std::int32_t stage_[2];
};

}  // namespace

ActionRow zbv_row(const ScheduleShape& shape, std::int32_t rank) {
    const std::int32_t microbatches = std::max(2 * shape.ranks - 1, shape.microbatches);
    const std::int32_t later = shape.ranks - rank;  // ranks from this one to the V's turn
    ZbvRow row(shape, rank);
    for (std::int32_t i = 0; i < 2 * later - 1; ++i) row.forward(0);
    for (std::int32_t i = 0; i < rank; ++i) {
        row.forward(1);
        row.forward(0);
    }
    for (std::int32_t i = 0; i < later; ++i) {
        row.forward(1);
        row.input_and_weight(1);
    }
    while (row.forwards[1] < row.forwards[0] || row.forwards[0] < microbatches) {
        if (row.forwards[0] < microbatches) row.forward(0);
        row.input_and_weight(0);
        row.forward(1);
        row.input_and_weight(1);
    }
    for (std::int32_t i = 0; i < rank; ++i) {
        row.input(0);
        row.input(1);
    }
    for (std::int32_t i = 0; i < later; ++i) {
        row.input(0);
        row.weight(0);
    }
    while (row.weights[1] < row.inputs[1]) row.weight(1);
    while (row.weights[0] < row.inputs[0]) row.weight(0);
    return row.take();
}

}  // namespace overlap::job
