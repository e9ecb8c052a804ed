#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace overlap::job {

/// What an action of a pipeline schedule does, by the names of `torch.distributed.pipelining`.
enum class ActionKind : std::uint8_t {
    forward,          ///< `F`
    backward_input,   ///< `I`: gradient of the input
    backward_weight,  ///< `W`: gradient of the weights
    full_backward,    ///< `B`: both at once
    unshard,
    reshard,
    send_f,
    recv_f,
    send_b,
    recv_b,
    wait_send_f,
    wait_send_b,
    reduce_grad,
    wait_reduce_grad,
};
inline constexpr std::size_t action_kind_count = 14;

/// `F`, `UNSHARD`.
std::string_view action_kind_name(ActionKind kind);
/// Whether it computes on one microbatch: forward or a backward.
constexpr bool is_compute(ActionKind kind) {
    return kind <= ActionKind::full_backward;
}

inline constexpr std::int32_t no_microbatch = -1;

struct Action {
    std::int32_t stage = 0;
    std::int32_t microbatch = no_microbatch;
    ActionKind kind = ActionKind::forward;
    bool operator==(const Action&) const = default;
};

/// What one pipeline rank does, cell by cell. A cell has no action (spacing), one, or several at once (`OVERLAP_F_B`).
/// Flat arrays: a job has millions of cells.
class ActionRow {
  public:
    std::size_t size() const { return ends_.size(); }
    std::span<const Action> operator[](std::size_t cell) const {
        const std::uint32_t begin = cell == 0 ? 0 : ends_[cell - 1];
        return {actions_.data() + begin, ends_[cell] - begin};
    }
    /// All actions, across cells.
    std::span<const Action> actions() const { return actions_; }
    std::span<Action> actions() { return actions_; }

    void add(Action action) { add(std::span<const Action>(&action, 1)); }
    void add(std::int32_t stage, ActionKind kind, std::int32_t microbatch = no_microbatch) {
        add(Action{stage, microbatch, kind});
    }
    /// One cell of all these actions; of none: spacing.
    void add(std::span<const Action> together);
    void add_spacing(std::int64_t cells);
    void reserve(std::size_t actions);

  private:
    std::vector<Action> actions_;
    std::vector<std::uint32_t> ends_;
};

/// A row for each pipeline rank.
using ActionLists = std::vector<ActionRow>;

/// `0F3`, `1REDUCE_GRAD`, `(0F3;3B1)OVERLAP_F_B`; nothing for spacing.
std::string cell_text(std::span<const Action> cell);
std::string action_text(const Action& action);

/// Adds the cell that `text` stands for, as PyTorch reads it; white space around it does not count.
/// @throws InputError without a place: not an action, numbers beyond what a job may have, an overlap without parts.
void add_cell(ActionRow& row, std::string_view text);

}  // namespace overlap::job
