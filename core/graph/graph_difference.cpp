#include "core/graph/graph_difference.h"

#include <algorithm>

#include "core/graph/node_comparison.h"

namespace overlap {

namespace {

/// For each node after, whether it belongs to one longest run of survivors that stand in the same order in both graphs
/// (patience sorting).
std::vector<bool> kept_in_order(std::span<const NodeId> origin) {
    std::vector<NodeId> last_of_length;  // node after that ends the run of this length with the least origin
    std::vector<NodeId> previous(origin.size(), no_node);
    const auto stands_before = [&](NodeId node, NodeId place) { return origin[node] < place; };
    for (NodeId node = 0; node < origin.size(); ++node) {
        if (origin[node] == no_node) continue;
        // Most nodes stay where they are and make the longest run longer.
        const bool longest = last_of_length.empty() || stands_before(last_of_length.back(), origin[node]);
        const auto replaced =
            longest ? last_of_length.end()
                    : std::lower_bound(last_of_length.begin(), last_of_length.end(), origin[node], stands_before);
        if (replaced != last_of_length.begin()) previous[node] = *std::prev(replaced);
        longest ? last_of_length.push_back(node) : void(*replaced = node);
    }
    std::vector<bool> kept(origin.size(), false);
    NodeId node = last_of_length.empty() ? no_node : last_of_length.back();
    for (; node != no_node; node = previous[node]) kept[node] = true;
    return kept;
}

}  // namespace

GraphDifference graph_difference(const Graph& before, const Graph& after, std::span<const NodeId> origin) {
    GraphDifference difference;
    difference.before_text = before.strings();
    difference.after_text = after.strings();
    const std::vector<bool> in_order = kept_in_order(origin);
    const NodeComparison comparison(before, after, origin);
    std::vector<bool> survives(before.node_count(), false);
    for (NodeId node = 0; node < after.node_count(); ++node) {
        const NodeChange change{after.name(node), after.target(node), origin[node], node};
        if (change.before == no_node) {
            difference.added.push_back(change);
            continue;
        }
        survives[change.before] = true;
        if (!in_order[node]) difference.moved.push_back(change);
        if (!comparison.same_call(change.before, node)) difference.changed.push_back(change);
    }
    for (NodeId node = 0; node < before.node_count(); ++node) {
        if (!survives[node]) difference.removed.push_back({before.name(node), before.target(node), node, no_node});
    }
    return difference;
}

}  // namespace overlap
