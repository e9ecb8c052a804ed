#pragma once

#include <span>
#include <vector>

#include "core/graph/module_tree.h"

namespace overlap {

/// What belongs to nodes of a graph, such as their exposed time, summed over its modules.
struct ModuleSums {
    /// By ModuleTree::ModuleId, descendants included, each node once; the root's is that of all nodes with a module.
    std::vector<double> modules_ms;
    double without_module_ms = 0;  ///< of ModuleTree::nodes_without_module()
    std::vector<double> nodes_ms;  ///< of each node
};

/// @param of_nodes of each node of the graph that `tree` is of.
ModuleSums module_sums(const ModuleTree& tree, std::vector<double> of_nodes);

/// The sum of one module, without those of all others.
double sum_of_module(const ModuleTree& tree, ModuleTree::ModuleId module, std::span<const double> of_nodes);

}  // namespace overlap
