#include "core/passes/memory/memory_rule_matches.h"

#include <set>

#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/graph/module_tree.h"
#include "core/passes/shell_pattern.h"

namespace overlap::memory {

namespace {

/// The names and those of all modules around them.
std::vector<std::string> with_outer(const std::vector<std::string_view>& names) {
    std::set<std::string> all;
    for (const std::string_view name : names) {
        for (std::size_t end = name.find('.'); end != name.npos; end = name.find('.', end + 1))
            all.emplace(name.substr(0, end));
        if (!name.empty()) all.emplace(name);
    }
    return {all.begin(), all.end()};
}

std::string matches_nothing(const std::string& name, std::string_view what, std::span<const std::string> known) {
    std::string text = in_quotes(name) + " matches no " + std::string(what);
    const std::vector<std::string> nearest = nearest_names(name, known);
    for (std::size_t index = 0; index < nearest.size(); ++index)
        text.append(index == 0 ? "; nearest: " : ", ").append(nearest[index]);
    return text;
}

}  // namespace

RuleMatches::RuleMatches(const Graph& graph, const std::vector<MemoryRule>& rules)
    : graph_(graph), matches_(rules.size()) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        modules_.try_emplace(graph.metadata(node).module_fqn, static_cast<std::uint32_t>(modules_.size()));
    }
    for (std::size_t index = 0; index < rules.size(); ++index) {
        match_modules(rules[index], matches_[index]);
        match_operators(rules[index], matches_[index]);
    }
}

void RuleMatches::match_modules(const MemoryRule& rule, OfRule& of_rule) const {
    of_rule.modules.resize(modules_.size(), rule.modules.empty() ? 1 : 0);
    for (const std::string& wanted : rule.modules) {
        bool found = false;
        for (const auto& [name, number] : modules_) {
            if (!is_within(graph_.text(name), wanted)) continue;
            of_rule.modules[number] = 1;
            found = true;
        }
        if (found) continue;
        std::vector<std::string_view> names;
        for (const auto& [name, number] : modules_) names.push_back(graph_.text(name));
        of_rule.unmatched.push_back(matches_nothing(wanted, "module", with_outer(names)));
    }
}

void RuleMatches::match_operators(const MemoryRule& rule, OfRule& of_rule) const {
    of_rule.operators.resize(graph_.target_count(), rule.operators.empty() ? 1 : 0);
    for (const std::string& wanted : rule.operators) {
        bool found = false;
        for (std::uint32_t target = 0; target < graph_.target_count(); ++target) {
            if (!matches_shell_pattern(graph_.target_text(target), wanted)) continue;
            of_rule.operators[target] = 1;
            found = true;
        }
        if (found) continue;
        std::vector<std::string> names;
        for (std::uint32_t target = 0; target < graph_.target_count(); ++target)
            names.emplace_back(graph_.target_text(target));
        of_rule.unmatched.push_back(matches_nothing(wanted, "operator of the graph", names));
    }
}

}  // namespace overlap::memory
