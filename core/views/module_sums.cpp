#include "core/views/module_sums.h"

#include <utility>

namespace overlap {

ModuleSums module_sums(const ModuleTree& tree, std::vector<double> of_nodes) {
    ModuleSums sums;
    sums.modules_ms.assign(tree.module_count(), 0);
    for (ModuleTree::ModuleId module = 0; module < tree.module_count(); ++module)
        sums.modules_ms[module] = sum_of_module(tree, module, of_nodes);
    for (const NodeId node : tree.nodes_without_module()) sums.without_module_ms += of_nodes[node];
    sums.nodes_ms = std::move(of_nodes);
    return sums;
}

double sum_of_module(const ModuleTree& tree, ModuleTree::ModuleId module, std::span<const double> of_nodes) {
    double sum = 0;
    if (module != ModuleTree::root) {
        for (const NodeId node : tree.module(module).nodes) sum += of_nodes[node];
        return sum;
    }
    for (NodeId node = 0; node < of_nodes.size(); ++node)
        if (tree.innermost(node) != ModuleTree::no_module) sum += of_nodes[node];
    return sum;
}

}  // namespace overlap
