#include "core/passes/scheduling/augmented_graph.h"

#include <algorithm>

namespace overlap::scheduling {

namespace {

bool contains(const OrderedNodes& nodes, NodeId node) {
    return std::ranges::find(nodes, node) != nodes.end();
}

void discard(OrderedNodes& nodes, NodeId node) {
    const auto found = std::ranges::find(nodes, node);
    if (found != nodes.end()) nodes.erase(found);
}

void add_once(OrderedNodes& nodes, NodeId node) {
    if (!contains(nodes, node)) nodes.push_back(node);
}

}  // namespace

AugmentedGraph::AugmentedGraph(const Graph& graph, const CollectiveTable& table, std::span<const NodeId> order,
                               StaticAncestors& ancestors)
    : graph_(graph),
      table_(table),
      ancestors_(ancestors),
      order_(order),
      ordered_(!ancestors.contradicts_schedule()),
      dependencies_(graph.node_count()),
      users_(graph.node_count()),
      is_dependent_(graph.node_count()),
      replacement_(graph.node_count(), no_node),
      visited_(graph.node_count()) {}

void AugmentedGraph::insert(NodeId node, NodeId dependency) {
    if (!is_dependent_[node]) {
        is_dependent_[node] = true;
        dependents_.push_back(node);
    }
    add_once(dependencies_[node], dependency);
}

void AugmentedGraph::add(NodeId node, NodeId dependency) {
    // Both lists have the same information; the shorter one is searched.
    const bool present = dependencies_[node].size() <= users_[dependency].size()
                             ? contains(dependencies_[node], dependency)
                             : contains(users_[dependency], node);
    if (present) return;
    if (!is_dependent_[node]) {
        is_dependent_[node] = true;
        dependents_.push_back(node);
    }
    dependencies_[node].push_back(dependency);
    users_[dependency].push_back(node);
    if (!ordered_ || order_.slot(dependency) < order_.slot(node) || order_.are_merged(node, dependency)) return;
    if (depends_in_order(dependency, node, true)) {
        ordered_ = false;
    } else {
        order_.move_behind(node, dependency);
    }
}

void AugmentedGraph::remove(NodeId node, NodeId dependency) {
    discard(dependencies_[node], dependency);
    discard(users_[dependency], node);
}

bool AugmentedGraph::are_connected(NodeId left, NodeId right) {
    if (!ordered_) return depends_in_reference(right, left) || depends_in_reference(left, right);
    if (order_.slot(left) > order_.slot(right)) std::swap(left, right);
    // Static dependencies that were removed still count for the order.
    connected_in_order_ = depends_in_order(right, left, true);
    if (!connected_in_order_) return false;
    // While all dependencies have an order, what the reference excludes from its search cannot lead to a path, so it
    // finds every path over the present ones.
    return depends_in_order(right, left, false);
}

/// Searches between the places of two nodes in the order.
/// @param with_removed whether static dependencies count that are no longer present.
bool AugmentedGraph::depends_in_order(NodeId later, NodeId earlier, bool with_removed) {
    return order_.depends_on(later, earlier, [&](NodeId of, auto&& visit) {
        for (const NodeId input : graph_.inputs(of)) visit(input);
        for (const NodeId extra : dependencies_[of]) visit(extra);
        if (!with_removed) return;
        for (const NodeId fixed : ancestors_.fixed_before(of)) visit(fixed);
    });
}

/// The reference's search from `target` back to `source` (`has_path`).
bool AugmentedGraph::depends_in_reference(NodeId target, NodeId source) {
    const std::span<const NodeId> sources = order_.members(source);
    CollectiveSet starts(table_.collectives.size()), waits(table_.collectives.size());
    for (const NodeId member : sources) {
        if (const Index index = table_.by_start[member]; index != no_index) starts.add(index);
        if (const Index index = table_.by_wait[member]; index != no_index) waits.add(index);
    }
    ++search_;
    visited_[target] = search_;
    std::vector<NodeId> stack = {target};
    bool reached = false;
    const auto visit = [&](NodeId dependency) {
        reached |= order_.are_merged(dependency, source);
        if (visited_[dependency] == search_) return;
        visited_[dependency] = search_;
        if (starts.intersects(ancestors_.starts_behind(dependency))) return;
        if (waits.intersects(ancestors_.waits_behind(dependency))) return;
        stack.push_back(dependency);
    };
    while (!stack.empty() && !reached) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const NodeId member : order_.members(node)) {
            for (const NodeId input : graph_.inputs(member)) visit(input);
            for (const NodeId extra : dependencies_[member]) visit(extra);
        }
    }
    return reached;
}

void AugmentedGraph::merge(NodeId existing, NodeId single) {
    // The reference saw no path where the static dependencies make one: from here on there is no order.
    if (connected_in_order_) ordered_ = false;
    if (ordered_) {
        order_.merge(existing, single);
    } else {
        order_.merge_without_order(existing, single);
    }
}

void AugmentedGraph::split(NodeId single) {
    if (ordered_) {
        order_.split(single);
    } else {
        order_.split_without_order(single);
    }
}

void AugmentedGraph::grow(std::size_t count) {
    if (count <= dependencies_.size()) return;
    dependencies_.resize(count);
    users_.resize(count);
    is_dependent_.resize(count);
    replacement_.resize(count, no_node);
}

void AugmentedGraph::transfer(std::span<const std::pair<NodeId, NodeId>> replaced, const GraphEditor& editor) {
    grow(editor.number_count());
    std::vector<NodeId> changed;  // with everything that was merged; a later replacement of one wins
    for (const auto& [old_node, new_node] : replaced) {
        for (const NodeId member : order_.members(old_node)) {
            if (replacement_[member] == no_node) changed.push_back(member);
            replacement_[member] = new_node;
        }
    }
    const auto replacement_of = [&](NodeId node) { return replacement_[node] == no_node ? node : replacement_[node]; };
    const auto takes_input = [&](NodeId node, NodeId input) {
        const std::span<const NodeId> inputs = editor.inputs(node);
        return std::ranges::find(inputs, input) != inputs.end();
    };
    for (const NodeId old_node : changed) {
        const NodeId new_node = replacement_[old_node];
        for (const NodeId dependency : dependencies_[old_node]) {
            const NodeId updated = replacement_of(dependency);
            if (updated == new_node || contains(dependencies_[updated], new_node) || takes_input(updated, new_node)) {
                continue;
            }
            insert(new_node, updated);
            discard(users_[updated], old_node);
            add_once(users_[updated], new_node);
        }
        for (const NodeId user : users_[old_node]) {
            const NodeId updated = replacement_of(user);
            if (updated == new_node || contains(dependencies_[new_node], updated) || takes_input(new_node, updated)) {
                continue;
            }
            discard(dependencies_[updated], old_node);
            insert(updated, new_node);
            add_once(users_[new_node], updated);
        }
    }
    for (const NodeId old_node : changed) {
        dependencies_[old_node].clear();
        users_[old_node].clear();
        replacement_[old_node] = no_node;
    }
}

void AugmentedGraph::drop_erased(const GraphEditor& editor) {
    for (const NodeId node : dependents_) {
        if (editor.is_erased(node)) {
            dependencies_[node].clear();
        } else {
            std::erase_if(dependencies_[node], [&](NodeId dependency) { return editor.is_erased(dependency); });
        }
    }
}

}  // namespace overlap::scheduling
