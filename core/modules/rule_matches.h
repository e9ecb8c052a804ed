#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/modules/module_rules.h"

namespace overlap {

/// The nodes that rules match, before it is decided which rule counts for which node.
struct RuleMatches {
    /// Nodes that fit, with their modules' paths; a node at most once.
    std::vector<std::pair<NodeId, std::string>> nodes;
    std::uint32_t ambiguous = 0;  ///< nodes that fit in two ways with different modules
    std::string problem;          ///< why there are none, or fewer than the rule says; a clause, or empty
};

/// The matches of each rule; none for rules of kind `neighbours`, which look at what others gave.
/// Of several parameter rules the first that fits a parameter's name counts for it; a node that uses parameters of
/// different modules is ambiguous.
/// @pre rule_error() of each is empty.
std::vector<RuleMatches> match_rules(const Graph& graph, const std::vector<ModuleRule>& rules,
                                     const std::stop_token& stop);

}  // namespace overlap
