#include "core/views/several_modules.h"

#include <algorithm>

namespace overlap {

std::vector<NodeId> nodes_together(const Graph& graph, const ModuleTree& tree,
                                   std::span<const ModuleTree::ModuleId> modules) {
    std::vector<NodeId> nodes;
    if (std::ranges::find(modules, ModuleTree::root) != modules.end()) {
        for (NodeId node = 0; node < graph.node_count(); ++node)
            if (tree.innermost(node) != ModuleTree::no_module) nodes.push_back(node);
        return nodes;
    }
    for (const ModuleTree::ModuleId module : modules) {
        const std::vector<NodeId>& of_module = tree.module(module).nodes;
        nodes.insert(nodes.end(), of_module.begin(), of_module.end());
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

ModuleFigures figures_together(const Graph& graph, const ModuleFiguresTable& table,
                               std::span<const ModuleTree::ModuleId> modules, std::span<const NodeId> nodes,
                               std::span<const double> times_ms) {
    ModuleFigures sum;
    for (const NodeId node : nodes) add_node(graph, node, times_ms, sum);
    // Each parameter is of one module and of those around it.
    for (const ModuleTree::ModuleId module : modules) {
        sum.parameters += table.modules[module].parameters;
        sum.parameter_bytes += table.modules[module].parameter_bytes;
    }
    return sum;
}

double sum_of_nodes(std::span<const NodeId> nodes, std::span<const double> of_nodes) {
    double sum = 0;
    for (const NodeId node : nodes) sum += of_nodes[node];
    return sum;
}

}  // namespace overlap
