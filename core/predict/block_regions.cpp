#include "core/predict/block_regions.h"

#include <map>
#include <string_view>
#include <utility>

#include "core/graph/direction.h"
#include "core/graph/module_tree.h"

namespace overlap {
namespace {

bool is_number(std::string_view name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The outermost numbered module around `module`, such as `layers.3` of `layers.3.attention`.
ModuleTree::ModuleId block_of(const ModuleTree& tree, ModuleTree::ModuleId module) {
    ModuleTree::ModuleId block = ModuleTree::no_module;
    for (; module != ModuleTree::no_module; module = tree.module(module).parent) {
        if (is_number(tree.module(module).name)) block = module;
    }
    return block;
}

}  // namespace

std::vector<std::int32_t> block_regions(const Graph& graph) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    std::vector<std::int32_t> regions(graph.node_count(), not_compiled);
    std::map<std::pair<ModuleTree::ModuleId, bool>, std::int32_t> numbers;
    for (NodeId node = 0; tree.exists() && node < graph.node_count(); ++node) {
        const ModuleTree::ModuleId block = block_of(tree, tree.innermost(node));
        if (block == ModuleTree::no_module) continue;
        const auto number = static_cast<std::int32_t>(numbers.size());
        regions[node] = numbers.try_emplace({block, runs_in_backward(graph, node)}, number).first->second;
    }
    return regions;
}

std::vector<std::int32_t> compiled_regions(const Graph& graph, CompiledScope scope) {
    if (scope == CompiledScope::eager) return std::vector<std::int32_t>(graph.node_count(), not_compiled);
    if (scope == CompiledScope::blocks) return block_regions(graph);
    std::vector<std::int32_t> regions(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) regions[node] = runs_in_backward(graph, node);
    return regions;
}

}  // namespace overlap
