#include "core/simulate/issue_order.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/direction.h"

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

/// Walks from a collective's wait on over what has to come after it.
class WayOn {
  public:
    WayOn(const Graph& graph, const Simulation& simulation, std::size_t collective, const IssueOrder& order)
        : graph_(graph),
          simulation_(simulation),
          order_(order),
          start_(simulation.collectives[collective].start),
          dependent_(graph.node_count()) {
        dependent_[simulation.collectives[collective].wait] = true;
    }

    /// To be asked of each node after the wait, in order: whether it has to come after a wait for the collective.
    bool is_dependent(NodeId node) {
        const std::span<const NodeId> inputs = graph_.inputs(node);
        bool needs = std::ranges::any_of(inputs, [&](NodeId input) { return dependent_[input]; }) || waits_too(node);
        for (const auto& [target, source] : order_.further) needs = needs || (target == node && dependent_[source]);
        if (const std::int32_t index = simulation_.collective_of_node[node]; order_.groups_keep_order && index >= 0) {
            const std::uint32_t group = simulation_.collectives[static_cast<std::size_t>(index)].group;
            needs = needs || groups_.contains(group);
            if (needs) groups_.insert(group);
        }
        return dependent_[node] = needs;
    }

  private:
    /// A collective of several tensors has a wait for each.
    bool waits_too(NodeId node) const {
        if (!graph_.target_info(node).is_wait) return false;
        return std::ranges::any_of(graph_.inputs(node), [&](NodeId input) {
            return input == start_ ||
                   (graph_.target_info(input).is_getitem && std::ranges::count(graph_.inputs(input), start_) > 0);
        });
    }

    const Graph& graph_;
    const Simulation& simulation_;
    const IssueOrder& order_;
    NodeId start_;
    std::vector<bool> dependent_;
    std::set<std::uint32_t> groups_;  ///< that have issued something dependent
};

/// What the graph says of a node: true for the backward pass, none for what a pass made and for inputs.
std::optional<bool> told_direction(const Graph& graph, NodeId node) {
    if (runs_in_backward(graph, node)) return true;
    const NodeMetadata& metadata = graph.metadata(node);
    const bool is_told = metadata.autograd_backward || metadata.partitioner_tag != empty_string;
    // What was traced has a sequence number, and in the forward pass often nothing else.
    return is_told || metadata.sequence_number ? std::optional(false) : std::nullopt;
}

/// What the first node says that is met from `node` over nodes that say nothing, of those that say `sought`.
/// @param next the nodes beside one, in one direction. @param sought none: whatever it says.
template <typename Next>
std::optional<bool> nearest_told_direction(const Graph& graph, NodeId node, const Next& next,
                                           std::optional<bool> sought = {}) {
    constexpr std::size_t enough = 1000;  // packing of a bucket, and unpacking
    std::vector<NodeId> pending{node};
    std::unordered_set<NodeId> met{node};
    for (std::size_t index = 0; index < pending.size() && index < enough; ++index) {
        for (const NodeId beside : next(pending[index])) {
            const std::optional<bool> told = told_direction(graph, beside);
            if (told && (!sought || told == sought)) return told;
            if (!told && met.insert(beside).second) pending.push_back(beside);
        }
    }
    return {};
}

}  // namespace

bool waits_in_backward(const Graph& graph, NodeId wait) {
    if (const std::optional<bool> own = told_direction(graph, wait)) return *own;
    // What needs a result of the backward pass is part of it. Else what is read may have been made long before.
    const auto inputs = [&](NodeId node) { return graph.inputs(node); };
    if (nearest_told_direction(graph, wait, inputs, true)) return true;
    const auto users = [&](NodeId node) { return graph.users(node); };
    if (const std::optional<bool> of_user = nearest_told_direction(graph, wait, users)) return *of_user;
    // From the wait back: what tells is near it where the answer is yes.
    for (NodeId node = wait + 1; node-- > 0;)
        if (runs_in_backward(graph, node)) return true;
    return false;
}

LaterWait later_wait(const Graph& graph, const Simulation& simulation, std::size_t collective,
                     const IssueOrder& order) {
    const CollectiveTiming& timing = simulation.collectives[collective];
    LaterWait later;
    WayOn on(graph, simulation, collective, order);
    double passed_ms = 0;
    bool met_dependent = false;
    const bool backward = waits_in_backward(graph, timing.wait);
    for (NodeId node = timing.wait + 1; node < graph.node_count(); ++node) {
        if (!backward && runs_in_backward(graph, node)) break;
        if (on.is_dependent(node)) {
            if (later.after != no_node && later.hidden_ms >= timing.exposed_ms) break;
            met_dependent = true;
            continue;
        }
        const double time_ms = simulation.nodes[node].end_ms - simulation.nodes[node].start_ms;
        if (time_ms <= 0 || !simulation.on_compute(node) || graph.target_info(node).is_wait) continue;
        passed_ms += time_ms;
        if (!order.bucket_of_node.empty() && order.bucket_of_node[node] >= 0) {
            later.packing_is_left = later.after == no_node;
            continue;
        }
        later.packing_is_left = false;
        later.after = node;
        later.moves_dependents = met_dependent;
        later.hidden_ms = std::min(passed_ms, timing.exposed_ms);
        if (met_dependent && passed_ms >= timing.exposed_ms) break;
    }
    return later;
}

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

double could_hide_ms(const Graph& graph, const Simulation& simulation, std::size_t collective,
                     const IssueOrder& order) {
    const CollectiveTiming& timing = simulation.collectives[collective];
    switch (timing.cause) {
        case ExposureCause::none:
        case ExposureCause::group_busy:
            return 0;
        case ExposureCause::producer_late:
            return timing.wait == no_node ? 0 : later_wait(graph, simulation, collective, order).hidden_ms;
        case ExposureCause::window_too_short:
        case ExposureCause::order_of_issue:
            break;
    }
    if (timing.start_before == no_node) return 0;
    return issue_refusal(graph, simulation, collective, timing.start_before, order).empty()
               ? timing.hidden_if_earlier_ms
               : 0;
}

}  // namespace overlap
