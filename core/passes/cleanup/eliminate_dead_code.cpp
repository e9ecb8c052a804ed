#include "core/passes/cleanup/eliminate_dead_code.h"

#include <algorithm>
#include <vector>

#include "core/base/quote.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// torch.fx's `Node.is_impure` of an unused node.
template <typename AnyGraph>
bool has_side_effects(const AnyGraph& graph, NodeId node, std::string_view pass) {
    switch (graph.op(node)) {
        case NodeOp::placeholder:
        case NodeOp::output:
            return true;
        case NodeOp::get_attr:
        case NodeOp::call_method:
            return false;
        case NodeOp::call_module:
            refuse_node(pass, graph.name(node),
                        "nobody uses it, and whether torch.fx keeps it depends on its module, which graph files do "
                        "not describe");
        case NodeOp::call_function:
            break;
    }
    const SideEffects effects = graph.target_info(node).side_effects;
    if (effects == SideEffects::unknown) {
        refuse_node(pass, graph.name(node),
                    "nobody uses it, and whether torch.fx keeps it depends on the side effects of " +
                        in_quotes(graph.target(node)) + ", which is not known here");
    }
    return effects == SideEffects::some;
}

/// Nodes that torchtitan's pass erases, last first.
std::vector<NodeId> dead_nodes(const Graph& graph, std::string_view pass) {
    const TargetSet assertions(graph, {"aten._assert_async.msg", "aten._assert_async.default"});
    std::vector<std::uint32_t> user_count(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        user_count[node] = static_cast<std::uint32_t>(graph.users(node).size());
    }
    std::vector<NodeId> dead;
    for (NodeId node = graph.node_count(); node-- > 0;) {
        if (user_count[node] != 0) continue;
        if (!assertions.has(graph.record(node)) && has_side_effects(graph, node, pass)) continue;
        dead.push_back(node);
        for (const NodeId input : graph.inputs(node)) --user_count[input];
    }
    return dead;
}

}  // namespace

std::string_view EliminateDeadCode::summary() const {
    return "Removes nodes whose results nobody uses and that have no side effects, asynchronous assertions included";
}

PassResult EliminateDeadCode::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    require_order(*graph, name());
    const std::vector<NodeId> dead = dead_nodes(*graph, name());
    if (dead.empty()) return unchanged(graph, name());
    GraphEditor editor(graph);
    for (const NodeId node : dead) editor.erase(node);
    return finished(editor, name());
}

void erase_dead_code(GraphEditor& editor, std::string_view pass, const std::function<bool(NodeId)>& may_drop) {
    require_order(editor, pass);
    std::vector<NodeId> users_first = editor.order();
    std::reverse(users_first.begin(), users_first.end());
    for (const NodeId node : users_first) {
        if (editor.user_count(node) != 0) continue;
        if (may_drop(node) || !has_side_effects(editor, node, pass)) editor.erase(node);
    }
}

}  // namespace overlap
