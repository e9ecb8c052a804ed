#include "core/passes/memory/save_selectors.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/trimmed_text.h"
#include "core/graph/operator_names.h"

namespace overlap::memory {

namespace {

/// As Python's `strip`.
std::string_view stripped(std::string_view text) {
    return trimmed(text, " \t\n\r\v\f");
}

[[noreturn]] void refuse(std::string_view pass, const std::string& reason) {
    throw PassRefusal(std::string(pass), "option full_recompute_save_ops", reason);
}

std::string require_operator(std::string_view name, const Graph& graph, std::string_view pass) {
    constexpr std::string_view prefix = "torch.ops.";
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    const auto dots = std::ranges::count(name, '.');
    const bool whole = dots == (name.starts_with("higher_order.") ? 1 : 2);
    if (whole && (is_known_operator(name) || graph.find_target(name) != Graph::no_target)) return std::string(name);
    // A namespace exists in torch as soon as it is asked for.
    if (dots == 0 || begins_known_operator(name)) {
        refuse(pass, in_quotes(name) +
                         " is no specific overload, such as aten.mm.default, and no higher-order operator, and "
                         "torchtitan raises a ValueError");
    }
    refuse(pass, "the graph has no operator " + in_quotes(name) +
                     ", and torch, as far as is known here, has none either: torchtitan raises a ValueError then");
}

SaveSelector read_selector(std::string_view text, const Graph& graph, std::string_view pass) {
    constexpr std::string_view separator = "::";
    const std::size_t at = text.find(separator);
    const std::string_view modules = stripped(text.substr(0, at));
    const std::string_view name = at == text.npos ? std::string_view() : text.substr(at + separator.size());
    if (modules.empty() || stripped(name).empty() || name.find(separator) != name.npos) {
        refuse(pass, in_quotes(stripped(text)) +
                         " is not of the form MODULES::OPERATOR, such as layers.*.attention.wq::aten.mm.default, and "
                         "torchtitan raises a ValueError");
    }
    return {std::string(modules), require_operator(stripped(name), graph, pass)};
}

}  // namespace

std::vector<SaveSelector> read_save_selectors(std::string_view text, const Graph& graph, std::string_view pass) {
    std::vector<SaveSelector> selectors;
    if (stripped(text).empty()) return selectors;
    while (true) {
        const std::size_t end = text.find('|');
        selectors.push_back(read_selector(text.substr(0, end), graph, pass));
        if (end == text.npos) return selectors;
        text.remove_prefix(end + 1);
    }
}

}  // namespace overlap::memory
