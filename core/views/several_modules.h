#pragma once

#include <span>
#include <vector>

#include "core/views/module_figures.h"

namespace overlap {

/// Nodes of modules, ascending, each once; of the root all that have a module.
std::vector<NodeId> nodes_together(const Graph& graph, const ModuleTree& tree,
                                   std::span<const ModuleTree::ModuleId> modules);

/// Figures of several modules together, each node once.
/// @param modules none of which is inside another. @param nodes of them, see nodes_together().
/// @param table of the whole graph, see module_figures(). @param times_ms of each node.
ModuleFigures figures_together(const Graph& graph, const ModuleFiguresTable& table,
                               std::span<const ModuleTree::ModuleId> modules, std::span<const NodeId> nodes,
                               std::span<const double> times_ms);

/// The sum of what belongs to these nodes, such as their exposed time.
/// @param of_nodes of each node of the graph.
double sum_of_nodes(std::span<const NodeId> nodes, std::span<const double> of_nodes);

}  // namespace overlap
