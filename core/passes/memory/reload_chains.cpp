#include "core/passes/memory/reload_chains.h"

#include <algorithm>

#include "core/passes/memory/layers.h"

namespace overlap::memory {

namespace {

NodeId first_user(const Graph& graph, NodeId node, std::string_view target) {
    if (node == no_node) return no_node;
    for (const NodeId user : graph.users(node)) {
        if (graph.target(user) == target) return user;
    }
    return no_node;
}

}  // namespace

ReloadChains::ReloadChains(const Graph& graph, const MemoryOperators& operators) : graph_(graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!operators.has(graph.record(node), MemoryOperators::transfer)) continue;
        if (graph.target(node) != offload_operator) continue;
        const Value* source = graph.argument(node, 0);
        if (!source || !source->is(ValueKind::node)) continue;
        const NodeId on_host = first_user(graph, node, transfer_wait_operator);
        const NodeId reload = first_user(graph, on_host, reload_operator);
        const NodeId wait = first_user(graph, reload, transfer_wait_operator);
        if (wait == no_node) continue;
        if (empty_) {
            reloaded_.assign(graph.node_count(), no_node);
            moved_to_.assign(graph.node_count(), no_node);
            empty_ = false;
        }
        reloaded_[source->node] = wait;
    }
}

void ReloadChains::move_before(GraphEditor& editor, NodeId wait, NodeId target) {
    std::vector<NodeId> chain, stack = {wait};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!is_backward(graph_.metadata(node)) || std::ranges::find(chain, node) != chain.end()) continue;
        // Nodes of the pass's input are their places in it.
        const NodeId place = moved_to_[node] != no_node ? moved_to_[node] : node;
        if (place <= target) continue;
        chain.push_back(node);
        const auto inputs = graph_.inputs(node);
        stack.insert(stack.end(), inputs.begin(), inputs.end());
    }
    std::ranges::sort(chain);
    for (const NodeId node : chain) {
        editor.move_before(node, target);
        moved_to_[node] = target;
    }
}

std::vector<NodeId> ReloadChains::moved_reloads(const GraphEditor& editor) const {
    std::vector<NodeId> reloads;
    for (NodeId node = 0; node < moved_to_.size(); ++node) {
        if (moved_to_[node] != no_node && editor.target(node) == reload_operator) reloads.push_back(node);
    }
    return reloads;
}

}  // namespace overlap::memory
