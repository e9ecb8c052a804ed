#include "core/passes/overlaps/overlap_order.h"

#include <algorithm>

#include "core/graph/editing/topological_sort.h"

namespace overlap {

namespace {

/// Sources of `target`, added at the end of the map if it is new there.
std::vector<NodeId>& sources_of(OverlapDependencies& dependencies, NodeId target) {
    for (auto& [known, sources] : dependencies) {
        if (known == target) return sources;
    }
    return dependencies.emplace_back(target, std::vector<NodeId>{}).second;
}

void add_once(std::vector<NodeId>& nodes, NodeId node) {
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

/// Positions at one moment; moves that follow do not change them.
class Positions {
  public:
    explicit Positions(const GraphEditor& graph) : place_(graph.number_count(), 0) {
        std::uint32_t place = 0;
        for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) place_[node] = place++;
    }
    std::uint32_t of(NodeId node) const { return place_[node]; }
    auto ascending() const {
        return [this](NodeId left, NodeId right) { return place_[left] < place_[right]; };
    }

  private:
    std::vector<std::uint32_t> place_;
};

/// `node` and, breadth first, users whose inputs are all collected (`_collect_nodes_must_be_after`).
std::vector<NodeId> nodes_that_follow(const GraphEditor& graph, NodeId node, std::vector<bool>& collected) {
    std::vector<NodeId> result = {node};
    collected[node] = true;
    for (std::size_t index = 0; index < result.size(); ++index) {
        for (const NodeId user : graph.users(result[index])) {
            if (collected[user]) continue;
            const bool closed = std::ranges::all_of(graph.inputs(user), [&](NodeId input) { return collected[input]; });
            if (!closed) continue;
            collected[user] = true;
            result.push_back(user);
        }
    }
    for (const NodeId done : result) collected[done] = false;
    return result;
}

/// `node` and its inputs at or behind `earliest`, without placeholders, in order (`_collect_nodes_must_be_before`).
std::vector<NodeId> nodes_that_precede(const GraphEditor& graph, NodeId node, const Positions& positions,
                                       std::uint32_t earliest, std::vector<bool>& collected) {
    std::vector<NodeId> result, queue = {node};
    while (!queue.empty()) {
        const NodeId current = queue.back();
        queue.pop_back();
        if (collected[current] || graph.op(current) == NodeOp::placeholder || positions.of(current) < earliest)
            continue;
        collected[current] = true;
        result.push_back(current);
        for (const NodeId input : graph.inputs(current)) queue.push_back(input);
    }
    for (const NodeId done : result) collected[done] = false;
    std::ranges::sort(result, positions.ascending());
    return result;
}

bool is_compute(const GraphEditor& graph, NodeId node) {
    return graph.op(node) == NodeOp::call_function && graph.target_info(node).traits.compute;
}

/// Each reduction's wait comes after the next reduction's start.
void delay_reductions(const GraphEditor& graph, const BucketRoles& roles, bool with_all_reduces,
                      OverlapDependencies& dependencies) {
    std::vector<NodeId> starts, delayed;
    for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
        const BucketRole role = roles.of(node);
        if (role == BucketRole::reduce_scatter || (with_all_reduces && role == BucketRole::all_reduce)) {
            starts.push_back(node);
        } else if (role == BucketRole::reduce_scatter_wait ||
                   (with_all_reduces && role == BucketRole::all_reduce_wait)) {
            if (!starts.empty()) {
                for (const NodeId wait : delayed) {
                    for (const NodeId start : starts) add_once(sources_of(dependencies, wait), start);
                }
                delayed.clear();
                starts.clear();
            }
            delayed.push_back(node);
        }
    }
}

/// The scan from the last node to the first that puts each gather's wait after the next gather.
struct GatherScan {
    std::vector<NodeId> picked;  ///< gathers whose preceding wait has not been met yet
    NodeId earliest_compute = no_node;

    /// @returns whether `node` starts a gather.
    bool visit_gather(NodeId node, const BucketRoles& roles, OverlapDependencies& dependencies) {
        if (roles.of(node) == BucketRole::all_gather) {
            picked.push_back(node);
            return true;
        }
        if (roles.of(node) == BucketRole::all_gather_wait) {
            for (const NodeId gather : picked) add_once(sources_of(dependencies, roles.canonical_wait(node)), gather);
            picked.clear();
        }
        return false;
    }

    /// Gathers before the first wait move before the first compute node. The reference guards against a gather that
    /// the compute node needs, but looks it up in its table of the original graph, in which a merged gather does not
    /// exist: the guard never has an effect.
    void attach_remaining(OverlapDependencies& dependencies) const {
        if (earliest_compute == no_node) return;
        for (const NodeId gather : picked) add_once(sources_of(dependencies, earliest_compute), gather);
    }
};

}  // namespace

void BucketRoles::set(NodeId node, BucketRole role) {
    if (node >= roles_.size()) roles_.resize(node + 1, BucketRole::none);
    roles_[node] = role;
}

void BucketRoles::set_canonical_wait(NodeId wait, NodeId canonical) {
    if (wait >= canonical_.size()) canonical_.resize(wait + 1, no_node);
    canonical_[wait] = canonical;
}

BucketRole start_role(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return BucketRole::all_gather;
        case CollectiveKind::reduce_scatter:
            return BucketRole::reduce_scatter;
        default:
            return BucketRole::all_reduce;
    }
}

BucketRole wait_role(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return BucketRole::all_gather_wait;
        case CollectiveKind::reduce_scatter:
            return BucketRole::reduce_scatter_wait;
        default:
            return BucketRole::all_reduce_wait;
    }
}

OverlapDependencies overlap_dependencies(const GraphEditor& graph, const BucketRoles& roles) {
    OverlapDependencies dependencies;
    delay_reductions(graph, roles, /*with_all_reduces=*/true, dependencies);
    GatherScan scan;
    for (NodeId node = graph.last(); node != no_node; node = graph.previous(node)) {
        if (!scan.visit_gather(node, roles, dependencies) && is_compute(graph, node)) scan.earliest_compute = node;
    }
    scan.attach_remaining(dependencies);
    return dependencies;
}

OverlapDependencies joint_overlap_dependencies(const GraphEditor& graph, const BucketRoles& roles,
                                               const std::vector<bool>& in_scope) {
    OverlapDependencies dependencies;
    delay_reductions(graph, roles, /*with_all_reduces=*/false, dependencies);
    GatherScan forward, backward;
    for (NodeId node = graph.last(); node != no_node; node = graph.previous(node)) {
        GatherScan& scan = graph.metadata(node).autograd_backward.value_or(false) ? backward : forward;
        if (scan.visit_gather(node, roles, dependencies)) continue;
        if (is_compute(graph, node) && node < in_scope.size() && in_scope[node]) scan.earliest_compute = node;
    }
    backward.attach_remaining(dependencies);
    forward.attach_remaining(dependencies);
    return dependencies;
}

bool sort_if_needed(GraphEditor& graph, const std::vector<NodeId>& changed) {
    for (const NodeId node : changed) {
        if (graph.is_erased(node)) continue;
        // The graph's output, which takes part in most changes and has many inputs, is behind all of them.
        if (node == graph.last() && graph.user_count(node) == 0) continue;
        bool crossed =
            std::ranges::any_of(graph.inputs(node), [&](NodeId input) { return graph.is_before(node, input); });
        graph.for_each_user(node, [&](NodeId user) { crossed |= graph.is_before(user, node); });
        if (crossed) return stable_topological_sort(graph);
    }
    return true;
}

bool move_overlap_nodes(GraphEditor& graph, const OverlapDependencies& dependencies, const BucketRoles& roles) {
    if (dependencies.empty()) return true;
    OverlapDependencies defer, prefetch;
    for (const auto& [target, sources] : dependencies) {
        for (const NodeId source : sources) {
            const BucketRole role = roles.of(source);
            if (role == BucketRole::reduce_scatter || role == BucketRole::all_reduce)
                sources_of(defer, target).push_back(source);
            if (role == BucketRole::all_gather) sources_of(prefetch, target).push_back(source);
        }
    }

    std::vector<NodeId> moved;
    std::vector<bool> collected(graph.number_count());
    const Positions before(graph);
    for (const auto& [wait, starts] : defer) {
        NodeId anchor = *std::ranges::max_element(starts, before.ascending());
        for (const NodeId node : nodes_that_follow(graph, wait, collected)) {
            moved.push_back(node);
            graph.move_after(node, anchor);
            anchor = node;
        }
    }

    const Positions after_deferral(graph);
    for (const auto& [target, starts] : prefetch) {
        const std::uint32_t target_place = after_deferral.of(target);
        std::vector<NodeId> ordered = starts;
        std::ranges::stable_sort(ordered, after_deferral.ascending());
        for (const NodeId start : ordered) {
            if (after_deferral.of(start) < target_place) continue;
            for (const NodeId node : nodes_that_precede(graph, start, after_deferral, target_place, collected)) {
                moved.push_back(node);
                graph.move_before(node, target);
            }
        }
    }
    return sort_if_needed(graph, moved);
}

}  // namespace overlap
