#include "core/job/schedules/action.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap::job {

namespace {

constexpr std::array<std::string_view, action_kind_count> names = {
    "F",      "I",      "W",      "B",           "UNSHARD",     "RESHARD",     "SEND_F",
    "RECV_F", "SEND_B", "RECV_B", "WAIT_SEND_F", "WAIT_SEND_B", "REDUCE_GRAD", "WAIT_REDUCE_GRAD"};
constexpr std::string_view overlap_name = "OVERLAP_F_B";
/// Parts that one cell may run at once; PyTorch makes two.
constexpr std::size_t most_parts = 64;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

[[noreturn]] void fail(std::string_view text) {
    throw InputError("", "found the action " + in_quotes(shortened(text)) +
                             ", expected stage, kind and microbatch such as 2F0, 1REDUCE_GRAD or "
                             "(0F3;3B1)OVERLAP_F_B");
}

/// Takes a number from the front of `rest`; -1 where there is none.
std::int32_t take_number(std::string_view& rest, std::string_view text) {
    std::int32_t number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc::result_out_of_range) fail(text);
    if (error != std::errc()) return -1;
    if (number < 0) fail(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return number;
}

Action parse_action(std::string_view text) {
    std::string_view rest = text;
    Action action;
    action.stage = take_number(rest, text);
    if (action.stage < 0) fail(text);
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
    std::size_t kind = 0;
    while (kind < names.size() && names[kind] != name) ++kind;
    if (kind == names.size()) fail(text);
    action.kind = static_cast<ActionKind>(kind);
    rest.remove_prefix(name.size());
    action.microbatch = take_number(rest, text);
    if (!rest.empty()) fail(text);
    if (is_compute(action.kind) && action.microbatch < 0) fail(text);
    return action;
}

}  // namespace

std::string_view action_kind_name(ActionKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

void ActionRow::add(std::span<const Action> together) {
    actions_.insert(actions_.end(), together.begin(), together.end());
    ends_.push_back(static_cast<std::uint32_t>(actions_.size()));
}

void ActionRow::add_spacing(std::int64_t cells) {
    if (cells > 0)
        ends_.insert(ends_.end(), static_cast<std::size_t>(cells), static_cast<std::uint32_t>(actions_.size()));
}

void ActionRow::reserve(std::size_t actions) {
    actions_.reserve(actions);
    ends_.reserve(actions);
}

std::string action_text(const Action& action) {
    std::string text = std::to_string(action.stage);
    text += action_kind_name(action.kind);
    if (action.microbatch != no_microbatch) text += std::to_string(action.microbatch);
    return text;
}

std::string cell_text(std::span<const Action> cell) {
    if (cell.empty()) return {};
    if (cell.size() == 1) return action_text(cell.front());
    std::string text = "(";
    for (std::size_t i = 0; i < cell.size(); ++i) text.append(i ? ";" : "").append(action_text(cell[i]));
    return text.append(")").append(overlap_name);
}

void add_cell(ActionRow& row, std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return row.add_spacing(1);
    if (text.front() != '(') return row.add(parse_action(text));
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos || trimmed(text.substr(close + 1)) != overlap_name) fail(text);
    std::vector<Action> parts;
    std::string_view rest = text.substr(1, close - 1);
    while (true) {
        const std::size_t end = rest.find(';');
        const std::string_view part = trimmed(rest.substr(0, end));
        if (part.empty() || part.front() == '(') fail(text);
        parts.push_back(parse_action(part));
        if (parts.size() > most_parts) fail(text);
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    row.add(parts);
}

}  // namespace overlap::job
