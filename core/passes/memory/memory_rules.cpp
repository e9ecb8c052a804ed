#include "core/passes/memory/memory_rules.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/base/trimmed_text.h"

namespace overlap {

namespace {

constexpr std::array<std::string_view, memory_actions.size()> action_names = {"save", "recompute", "offload", "keep",
                                                                              "reshard"};
constexpr std::string_view blanks = " \t\n\r", whole_model = "*", operator_mark = "::";
constexpr char rule_mark = '|', name_mark = '+';

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : " + ").append(name);
    return text;
}

std::vector<std::string> split_names(std::string_view text) {
    std::vector<std::string> names;
    while (true) {
        const std::size_t end = text.find(name_mark);
        names.emplace_back(trimmed(text.substr(0, end)));
        if (end == text.npos) return names;
        text.remove_prefix(end + 1);
    }
}

MemoryRule read_rule(std::string_view text, const std::string& place) {
    text = trimmed(text);
    const std::size_t action_end = std::min(text.find_first_of(blanks), text.size());
    const std::string_view name = text.substr(0, action_end);
    const std::optional<MemoryAction> action = memory_action_by_name(name);
    if (!action) {
        throw InputError(place,
                         "there is no action " + in_quotes(name) +
                             suggest_names(name, std::vector<std::string>(action_names.begin(), action_names.end())));
    }
    MemoryRule rule{*action, {}, {}};
    text = trimmed(text.substr(action_end));
    const std::size_t mark = text.find(operator_mark);
    const std::string_view modules = trimmed(text.substr(0, mark));
    if (modules != whole_model) rule.modules = split_names(modules);
    if (mark != text.npos) rule.operators = split_names(text.substr(mark + operator_mark.size()));
    if (const std::string error = memory_rule_error(rule); !error.empty()) throw InputError(place, error);
    return rule;
}

std::string name_error(const std::string& name, std::string_view what) {
    const bool bad = name.empty() || trimmed(name).size() != name.size() || name.find(rule_mark) != name.npos ||
                     name.find(name_mark) != name.npos || name.find(operator_mark) != name.npos;
    if (!bad) return {};
    return std::string(what) + ' ' + in_quotes(name) + " cannot be named in a memory rule: " +
           (name.empty() ? "it is empty" : "names there have no |, +, :: and no spaces around them");
}

}  // namespace

std::string_view memory_action_name(MemoryAction action) {
    return action_names[static_cast<std::size_t>(action)];
}

std::optional<MemoryAction> memory_action_by_name(std::string_view name) {
    const auto* const known = std::ranges::find(action_names, name);
    if (known == action_names.end()) return {};
    return static_cast<MemoryAction>(known - action_names.begin());
}

std::string memory_rule_text(const MemoryRule& rule) {
    std::string text(memory_action_name(rule.action));
    text.append(" ").append(rule.modules.empty() ? std::string(whole_model) : joined(rule.modules));
    if (!rule.operators.empty()) text.append(" :: ").append(joined(rule.operators));
    return text;
}

std::string memory_rules_text(const std::vector<MemoryRule>& rules) {
    std::string text;
    for (const MemoryRule& rule : rules) text.append(text.empty() ? "" : " | ").append(memory_rule_text(rule));
    return text;
}

std::vector<MemoryRule> read_memory_rules(std::string_view text) {
    std::vector<MemoryRule> rules;
    if (trimmed(text).empty()) return rules;
    while (true) {
        const std::size_t end = text.find(rule_mark);
        rules.push_back(read_rule(text.substr(0, end), "rule " + std::to_string(rules.size() + 1)));
        if (end == text.npos) return rules;
        text.remove_prefix(end + 1);
    }
}

std::string memory_rule_error(const MemoryRule& rule) {
    for (const std::string& module : rule.modules) {
        if (std::string error = name_error(module, "the module"); !error.empty()) return error;
    }
    for (const std::string& name : rule.operators) {
        if (std::string error = name_error(name, "the operator"); !error.empty()) return error;
    }
    if (is_of_gathers(rule.action) && !rule.operators.empty()) {
        return "the action " + std::string(memory_action_name(rule.action)) +
               " is about gathered parameters and takes no operators";
    }
    return {};
}

}  // namespace overlap
