#include "core/simulate/issue_order.h"

#include <algorithm>
#include <unordered_map>

namespace overlap {
namespace {

/// Walks from a collective back over what has to come before it.
class WayBack {
  public:
    WayBack(const Graph& graph, const Simulation& simulation, const IssueOrder& order)
        : graph_(graph), simulation_(simulation), order_(order) {}

    /// From `before` to the collective's start; empty where it needs not come first. Short ways come first.
    std::vector<NodeId> find(std::size_t collective, NodeId before) {
        const NodeId start = simulation_.collectives[collective].start;
        std::vector<NodeId> pending{start};
        next_[start] = start;
        for (std::size_t index = 0; index < pending.size(); ++index) {
            const NodeId node = pending[index];
            if (node == before) return way_from(node);
            const auto visit = [&](NodeId needed) {
                // The graph is in order: nothing ahead of `before` needs it.
                if (needed >= before && next_.emplace(needed, node).second) pending.push_back(needed);
            };
            for (const NodeId input : graph_.inputs(node)) visit(input);
            if (const NodeId ahead = ahead_on_group(node); ahead != no_node) visit(ahead);
            for (const auto& [target, source] : order_.further)
                if (target == node) visit(source);
        }
        return {};
    }

    /// The collective that the group issues before this one; no_node for other nodes, and where orders are free.
    NodeId ahead_on_group(NodeId node) const {
        const std::int32_t index = simulation_.collective_of_node[node];
        if (!order_.groups_keep_order || index < 0) return no_node;
        const std::vector<CollectiveTiming>& all = simulation_.collectives;
        const auto at = static_cast<std::size_t>(index);
        if (all[at].start != node) return no_node;
        for (std::size_t other = at; other-- > 0;)
            if (all[other].group == all[at].group) return all[other].start;
        return no_node;
    }

  private:
    std::vector<NodeId> way_from(NodeId node) const {
        std::vector<NodeId> way{node};
        while (next_.at(way.back()) != way.back()) way.push_back(next_.at(way.back()));
        return way;
    }

    const Graph& graph_;
    const Simulation& simulation_;
    const IssueOrder& order_;
    std::unordered_map<NodeId, NodeId> next_;
};

}  // namespace

std::string issue_refusal(const Graph& graph, const Simulation& simulation, std::size_t collective, NodeId before,
                          const IssueOrder& order) {
    WayBack back(graph, simulation, order);
    const std::vector<NodeId> way = back.find(collective, before);
    if (way.size() < 2) return {};
    // What is ahead of it on its group comes along with it, and what that needs does not.
    for (std::size_t index = way.size() - 1; index > 0; --index) {
        const NodeId ahead = way[index - 1];
        if (back.ahead_on_group(way[index]) != ahead) continue;
        const std::string name(graph.name(ahead));
        return ahead == before ? "collectives of a process group keep their order"
                               : name + ", which is ahead of it on its process group, has to come behind " +
                                     std::string(graph.name(before));
    }
    const bool by_hand = std::ranges::any_of(order.further, [&](const std::pair<NodeId, NodeId>& edge) {
        return std::ranges::find(way, edge.first) != way.end() && std::ranges::find(way, edge.second) != way.end();
    });
    return by_hand ? "an overlap by hand keeps it behind " + std::string(graph.name(before))
                   : "it needs " + std::string(graph.name(before));
}

}  // namespace overlap
