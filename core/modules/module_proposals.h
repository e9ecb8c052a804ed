#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/modules/module_rules.h"

namespace overlap {

/// A rule that would give modules to nodes of a graph which have none.
struct ModuleProposal {
    ModuleRule rule;
    std::uint32_t nodes = 0;   ///< that would get their module from it: with the other recommended ones, if it is one
    bool recommended = false;  ///< the recommended ones fit together in this order
    std::string reason;        ///< what it was made from, as a clause
};

/// Rules that a graph's own text suggests, in an order in which they can be applied: names of parameters, repetitions
/// of nodes, files and lines, and what lies between. Only those that would give a module to a node.
///
/// Recommended are names of parameters where they contain modules, else repetitions; and with either, neighbours.
/// Numbers of backward repetitions are those of the forward ones that use the same parameters, where the graph shows
/// them.
/// @returns nothing when `stop` was requested.
std::vector<ModuleProposal> propose_module_rules(const std::shared_ptr<const Graph>& graph,
                                                 const std::stop_token& stop = {});

/// The recommended rules.
std::vector<ModuleRule> recommended_rules(const std::vector<ModuleProposal>& proposals);

}  // namespace overlap
