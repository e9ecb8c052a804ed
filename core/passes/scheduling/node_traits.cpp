#include "core/passes/scheduling/node_traits.h"

#include <algorithm>

namespace overlap::scheduling {

std::vector<NodeTraits> node_traits(const Graph& graph) {
    std::vector<std::uint8_t> communication(graph.target_count());
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view text = graph.target_text(target);
        communication[target] = text.find("c10") != text.npos || text.find("_dtensor") != text.npos;
    }
    std::vector<NodeTraits> traits(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        NodeTraits& these = traits[node];
        these.communication_text = communication[graph.record(node).target] != 0;
        if (graph.op(node) != NodeOp::call_function) continue;
        const OperatorTraits& operation = graph.target_info(node).traits;
        these.compute = operation.compute;
        these.cheap = operation.cheap;
    }
    return traits;
}

std::vector<std::uint32_t> first_target_reached(const Graph& graph, std::span<const NodeId> targets) {
    std::vector<std::uint32_t> first(graph.node_count(), leads_to_none);
    std::size_t remaining = targets.size();
    for (NodeId node = graph.node_count(); node-- > 0;) {
        if (remaining > 0 && targets[remaining - 1] == node) {
            first[node] = static_cast<std::uint32_t>(--remaining);
            continue;
        }
        for (const NodeId user : graph.users(node)) first[node] = std::min(first[node], first[user]);
    }
    return first;
}

}  // namespace overlap::scheduling
