#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/unknown_fields.h"

namespace overlap {

/// What a rule says of what it names.
enum class MemoryAction : std::uint8_t {
    save,       ///< outputs are kept from forward to backward
    recompute,  ///< outputs are computed again in the backward pass
    offload,    ///< outputs are kept on the host
    keep,       ///< gathered parameters are kept from forward to backward
    reshard,    ///< parameters are gathered again in the backward pass
};

inline constexpr std::array memory_actions = {MemoryAction::save, MemoryAction::recompute, MemoryAction::offload,
                                              MemoryAction::keep, MemoryAction::reshard};

/// The name in documents, such as `recompute`.
std::string_view memory_action_name(MemoryAction action);
std::optional<MemoryAction> memory_action_by_name(std::string_view name);

/// Whether an action is about gathered parameters, and not about what operators return.
constexpr bool is_of_gathers(MemoryAction action) {
    return action == MemoryAction::keep || action == MemoryAction::reshard;
}

/// An exception from a memory policy. Of several rules that name a node the last one counts.
struct MemoryRule {
    MemoryAction action = MemoryAction::save;
    /// Dotted paths; each stands for the module and all within it. None: the whole model.
    std::vector<std::string> modules;
    /// Overloads, such as `aten.mm.default`, or shell-style patterns of them. None: all operators. Rules of gathers
    /// have none.
    std::vector<std::string> operators;
    UnknownFields extra{};

    bool operator==(const MemoryRule&) const = default;
};

/// A rule as a step's option and messages have it: `recompute layers.0 + layers.1 :: aten.mm.default`. `*` stands for
/// the whole model.
std::string memory_rule_text(const MemoryRule& rule);
/// Several rules, separated by ` | `.
std::string memory_rules_text(const std::vector<MemoryRule>& rules);
/// Reads such a text. @throws InputError with the rule's number as place.
std::vector<MemoryRule> read_memory_rules(std::string_view text);

/// Why a rule cannot be, as a clause: a name that the text could not hold, operators of gathers; empty where it can.
std::string memory_rule_error(const MemoryRule& rule);

}  // namespace overlap
