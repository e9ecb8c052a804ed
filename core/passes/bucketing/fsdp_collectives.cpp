#include "core/passes/bucketing/fsdp_collectives.h"

#include <unordered_set>

namespace overlap {

bool PlaceholderAncestry::is_single(NodeId start) {
    std::vector<NodeId> stack = {start};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        if (found_[node] == in_progress) {
            found_[node] = combined(graph_, node, found_);
            stack.pop_back();
        } else if (found_[node] == unknown) {
            found_[node] = in_progress;
            for (const NodeId input : graph_.inputs(node)) {
                if (found_[input] == unknown) stack.push_back(input);
            }
        } else {
            stack.pop_back();
        }
    }
    return found_[start] != no_node && found_[start] != several;
}

bool reaches_output_alone(const GraphEditor& graph, NodeId start) {
    std::vector<NodeId> stack = {start};
    std::unordered_set<NodeId> visited;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!visited.insert(node).second) continue;
        bool alone = true;
        graph.for_each_user(node, [&](NodeId user) {
            if (graph.op(user) == NodeOp::output) return;
            alone &= graph.inputs(user).size() == 1;
            stack.push_back(user);
        });
        if (!alone) return false;
    }
    return true;
}

}  // namespace overlap
