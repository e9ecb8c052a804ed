#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/memory/memory_rules.h"

namespace overlap::memory {

/// Which nodes rules name, looked up once for each module and operator of the graph.
class RuleMatches {
  public:
    RuleMatches(const Graph& graph, const std::vector<MemoryRule>& rules);

    /// Whether a rule names a call_function node by its module and operator.
    bool has(std::size_t rule, NodeId node) const {
        const auto module = modules_.find(graph_.metadata(node).module_fqn);
        return module != modules_.end() && matches_[rule].modules[module->second] != 0 &&
               matches_[rule].operators[graph_.record(node).target] != 0;
    }

    /// What of a rule matches nothing in the graph, as clauses with the nearest names.
    const std::vector<std::string>& unmatched(std::size_t rule) const { return matches_[rule].unmatched; }

  private:
    struct OfRule {
        std::vector<std::uint8_t> modules, operators;  ///< by number of the module, by target
        std::vector<std::string> unmatched;
    };

    void match_modules(const MemoryRule& rule, OfRule& of_rule) const;
    void match_operators(const MemoryRule& rule, OfRule& of_rule) const;

    const Graph& graph_;
    std::unordered_map<StringId, std::uint32_t> modules_;  ///< numbers of the graph's module names
    std::vector<OfRule> matches_;
};

}  // namespace overlap::memory
