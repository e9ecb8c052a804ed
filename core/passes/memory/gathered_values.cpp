#include "core/passes/memory/gathered_values.h"

#include "core/passes/memory/layers.h"
#include "core/passes/unshard_finder.h"

namespace overlap::memory {

namespace {

/// Marks what leads from the parameter to its gathered value.
void mark_chain(const Graph& graph, NodeId output, std::vector<GatherRole>& roles) {
    std::vector<NodeId> stack{output};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const NodeId input : graph.inputs(node)) {
            if (graph.op(input) != NodeOp::call_function || roles[input] != GatherRole::none) continue;
            roles[input] = GatherRole::chain;
            stack.push_back(input);
        }
    }
}

void mark_views(const Graph& graph, NodeId output, std::vector<GatherRole>& roles) {
    std::vector<NodeId> stack{output};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const NodeId user : graph.users(node)) {
            const bool is_view = graph.op(user) == NodeOp::call_function && graph.target_info(user).traits.view &&
                                 graph.inputs(user).size() == 1 && !is_backward(graph.metadata(user));
            if (!is_view || roles[user] != GatherRole::none) continue;
            roles[user] = GatherRole::view;
            stack.push_back(user);
        }
    }
}

}  // namespace

std::vector<GatherRole> gather_roles(const Graph& graph, std::string_view pass) {
    std::vector<GatherRole> roles(graph.node_count(), GatherRole::none);
    const UnshardOperators operators(graph);
    const UnshardFinder<Graph> finder(graph, operators, pass);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::placeholder) continue;
        for (const NodeId output : finder.outputs_of(node)) {
            roles[output] = GatherRole::output;
            mark_chain(graph, output, roles);
            mark_views(graph, output, roles);
        }
    }
    return roles;
}

}  // namespace overlap::memory
