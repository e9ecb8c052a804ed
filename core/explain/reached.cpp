#include "core/explain/reached.h"

namespace overlap {

std::vector<bool> reached(const Graph& graph, std::vector<NodeId> nodes, Direction direction) {
    std::vector<bool> seen(graph.node_count());
    while (!nodes.empty()) {
        const NodeId node = nodes.back();
        nodes.pop_back();
        for (const NodeId next : direction == Direction::users ? graph.users(node) : graph.inputs(node)) {
            if (seen[next]) continue;
            seen[next] = true;
            nodes.push_back(next);
        }
    }
    return seen;
}

}  // namespace overlap
