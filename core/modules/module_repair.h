#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/modules/module_rules.h"
#include "core/passes/pass.h"

namespace overlap {

/// The outcome of one rule on one graph.
struct RuleOutcome {
    std::uint32_t nodes = 0;      ///< that got their module from it
    std::uint32_t own = 0;        ///< that fit, and have a module in the graph
    std::uint32_t earlier = 0;    ///< that fit, and got a module from an earlier rule
    std::uint32_t ambiguous = 0;  ///< that fit in two ways with different modules, and got none
    std::string problem;          ///< why it gives less than it says, as a clause; or empty
};

/// A graph with the modules that rules give to its nodes. Immutable once made.
struct RepairedModules {
    std::shared_ptr<const Graph> graph;      ///< the graph itself where no rule gives anything
    std::vector<std::int32_t> rule_of_node;  ///< index of the rule that gave the node its module, or -1
    std::vector<RuleOutcome> outcomes;       ///< one a rule

    std::uint32_t repaired_nodes() const;
};

/// Gives modules to nodes by rules, in order: the first rule that fits a node counts, and a node that has a module in
/// the graph keeps it unless the rule overrides it.
///
/// A backward node without a module gets that of the forward node with its `seq_nr`, as torch copies stacks from
/// forward to backward nodes; it counts for the rule of that forward node.
///
/// A module is stored as the graph's other nodes have theirs: in a stack (`module_stack`, for backward nodes
/// `fwd_module_stack`) or as `custom.module_fqn`; as both where the graph has no modules at all, so that each pass
/// finds what it reads. Nothing but the metadata of nodes changes: nodes, names and order stay.
///
/// Keeps the latest results: asking again for the same graph and equal rules is free.
/// @returns null where `stop` was requested.
std::shared_ptr<const RepairedModules> repair_modules(const std::shared_ptr<const Graph>& graph,
                                                      const std::vector<ModuleRule>& rules,
                                                      const std::stop_token& stop = {});

/// Problems of rules that match nothing, match ambiguously or end early.
std::vector<Problem> check_module_rules(const std::vector<ModuleRule>& rules, const RepairedModules& repaired);

}  // namespace overlap
