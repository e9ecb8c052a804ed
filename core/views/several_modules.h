#pragma once

#include <span>
#include <string>
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

/// Paths in short, in their order: neighbours that differ in one number, which rises by one, are a range as plans
/// abbreviate it. `layers.1`, `layers.2`, `layers.3` and `norm` are `layers.[1-3]` and `norm`.
std::vector<std::string> module_ranges(std::span<const std::string> paths);

}  // namespace overlap
