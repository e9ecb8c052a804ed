#include "core/passes/overlaps/overlap_reach.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/cost/control_deps.h"

namespace overlap {

namespace {

/// Everything that can be reached from `roots`: for each node the one that it was reached from, a root for itself.
template <typename Neighbours>
std::vector<NodeId> reached_from(const Graph& graph, const std::vector<NodeId>& roots, Neighbours neighbours) {
    std::vector<NodeId> next(graph.node_count(), no_node);
    std::vector<NodeId> pending = roots;
    for (const NodeId root : roots) next[root] = root;
    // Breadth first: the paths that messages show are short.
    for (std::size_t index = 0; index < pending.size(); ++index) {
        const NodeId node = pending[index];
        neighbours(node, [&](NodeId neighbour) {
            if (next[neighbour] != no_node) return;
            next[neighbour] = node;
            pending.push_back(neighbour);
        });
    }
    return next;
}

/// Calls visit(node) for everything that has to come before `node`.
auto what_it_needs(const Graph& graph, const FurtherEdges& further) {
    return [&](NodeId node, auto visit) {
        for (const NodeId input : graph.inputs(node)) visit(input);
        for (const NodeId source : further.before(node)) visit(source);
    };
}

auto what_needs_it(const Graph& graph, const FurtherEdges& further) {
    return [&](NodeId node, auto visit) {
        for (const NodeId user : graph.users(node)) visit(user);
        for (const NodeId target : further.after(node)) visit(target);
    };
}

/// From `from` along `next` to a root.
std::vector<NodeId> way_along(const std::vector<NodeId>& next, NodeId from) {
    std::vector<NodeId> way{from};
    while (next[way.back()] != way.back()) way.push_back(next[way.back()]);
    return way;
}

std::vector<NodeId> reversed(std::vector<NodeId> way) {
    std::reverse(way.begin(), way.end());
    return way;
}

/// The process groups of all that start a collective, those that a control_deps wraps included, in graph order.
std::map<NodeId, std::string> groups_of_starts(const Graph& graph) {
    std::map<NodeId, std::string> groups;
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).starts != CollectiveKind::none)
            groups.emplace(node, graph.group_name(node));
    for (const WrappedOperation& wrapped : wrapped_operations(graph))
        if (wrapped.starts != CollectiveKind::none) groups.emplace(wrapped.node, wrapped.process_group);
    return groups;
}

/// Why one node comes behind another that it does not read.
std::string reason_of_order(const Graph& graph, NodeId before, NodeId node) {
    const std::map<NodeId, std::string> groups = groups_of_starts(graph);
    const auto first = groups.find(before), then = groups.find(node);
    const bool is_of_group = first != groups.end() && then != groups.end() && first->second == then->second;
    return is_of_group ? " (issued behind it on its process group)" : " (by another directive)";
}

/// `a -> b -> c` with the middle of long paths left out. A step without a data dependency has its reason.
std::string way_text(const Graph& graph, const std::vector<NodeId>& way) {
    constexpr std::size_t shown_at_ends = 3;
    std::string text;
    for (std::size_t index = 0; index < way.size(); ++index) {
        if (index > 0) text += " \xe2\x86\x92 ";  // an arrow to the right
        if (way.size() > 2 * shown_at_ends + 1 && index == shown_at_ends) {
            text.append("(").append(std::to_string(way.size() - 2 * shown_at_ends)).append(" more)");
            index = way.size() - shown_at_ends - 1;
            continue;
        }
        text += graph.name(way[index]);
        if (index == 0) continue;
        const std::span<const NodeId> inputs = graph.inputs(way[index]);
        if (std::find(inputs.begin(), inputs.end(), way[index - 1]) != inputs.end()) continue;
        text += reason_of_order(graph, way[index - 1], way[index]);
    }
    return text;
}

}  // namespace

bool FurtherEdges::add(const OverlapEdge& edge) {
    std::vector<NodeId>& before = before_[edge.target];
    if (std::find(before.begin(), before.end(), edge.source) != before.end()) return false;
    before.push_back(edge.source);
    after_[edge.source].push_back(edge.target);
    return true;
}

void FurtherEdges::remove(const OverlapEdge& edge) {
    std::erase(before_[edge.target], edge.source);
    std::erase(after_[edge.source], edge.target);
}

void FurtherEdges::add_group_order(const Graph& graph) {
    std::unordered_map<std::string_view, NodeId> last_of_group;
    const std::map<NodeId, std::string> groups = groups_of_starts(graph);
    for (const auto& [start, group] : groups) {
        const auto [last, first] = last_of_group.emplace(group, start);
        if (!first) add({start, std::exchange(last->second, start)});
    }
}

std::vector<NodeId> collective_starts(const Graph& graph) {
    std::vector<NodeId> starts;
    for (const auto& [start, group] : groups_of_starts(graph)) starts.push_back(start);
    return starts;
}

std::vector<NodeId> waits_of(const Graph& graph, NodeId start) {
    std::vector<NodeId> waits;
    const std::vector<WrappedOperation> wrapped = wrapped_operations(graph);
    const auto is_wait = [&](NodeId node) {
        return graph.target_info(node).is_wait ||
               std::any_of(wrapped.begin(), wrapped.end(), [&](const WrappedOperation& operation) {
                   return operation.node == node && operation.is_wait;
               });
    };
    for (const NodeId user : graph.users(start)) {
        if (graph.op(user) != NodeOp::call_function) continue;
        if (is_wait(user)) waits.push_back(user);
        if (!graph.target_info(user).is_getitem) continue;
        for (const NodeId item_user : graph.users(user))
            if (graph.op(item_user) == NodeOp::call_function && is_wait(item_user)) waits.push_back(item_user);
    }
    std::sort(waits.begin(), waits.end());
    return waits;
}

std::string misplaced(const Graph& graph, OverlapWish wish, NodeId node) {
    const std::string name(graph.name(node));
    if (wish == OverlapWish::start_before && graph.op(node) == NodeOp::placeholder)
        return name + " is an input of the graph, and inputs come before everything";
    if (wish != OverlapWish::start_before && graph.op(node) == NodeOp::output)
        return name + " ends the graph, and nothing comes after it";
    return {};
}

std::string refusal_text(const Graph& graph, OverlapWish wish, NodeId start, NodeId node,
                         const std::vector<NodeId>& way) {
    const std::string name(graph.name(node)), own(graph.name(start));
    if (node == start) return "a collective cannot be placed by itself";
    if (wish == OverlapWish::start_before)
        return own + " cannot be issued before " + name + ", which has to come first: " + way_text(graph, way);
    if (wish == OverlapWish::start_after)
        return own + " cannot be issued after " + name + ", which has to come behind it: " + way_text(graph, way);
    return own + " cannot be waited for after " + name + ", which has to come behind the wait: " + way_text(graph, way);
}

std::vector<NodeId> dependency_way(const Graph& graph, const FurtherEdges& further, NodeId needed, NodeId user) {
    const std::vector<NodeId> next = reached_from(graph, {user}, what_it_needs(graph, further));
    return next[needed] == no_node ? std::vector<NodeId>() : way_along(next, needed);
}

OverlapReach::OverlapReach(const Graph& graph, const FurtherEdges& further, NodeId start)
    : graph_(graph),
      start_(start),
      waits_(waits_of(graph, start)),
      needs_next_(reached_from(graph, {start}, what_it_needs(graph, further))),
      dependent_next_(reached_from(graph, waits_, what_needs_it(graph, further))),
      follows_next_(reached_from(graph, {start}, what_needs_it(graph, further))) {}

bool OverlapReach::allows(OverlapWish wish, NodeId node) const {
    switch (wish) {
        case OverlapWish::start_after:
            return follows_next_[node] == no_node;
        case OverlapWish::start_before:
            return needs_next_[node] == no_node;
        case OverlapWish::wait_after:
            break;
    }
    return dependent_next_[node] == no_node;
}

std::string OverlapReach::refusal(OverlapWish wish, NodeId node) const {
    if (wish == OverlapWish::wait_after && waits_.empty())
        return std::string(graph_.name(start_)) + " is not waited for in this graph";
    if (std::string never = misplaced(graph_, wish, node); !never.empty()) return never;
    if (allows(wish, node)) return {};
    std::vector<NodeId> way;
    if (wish == OverlapWish::start_before) way = way_along(needs_next_, node);
    if (wish == OverlapWish::start_after) way = reversed(way_along(follows_next_, node));
    if (wish == OverlapWish::wait_after) way = reversed(way_along(dependent_next_, node));
    return refusal_text(graph_, wish, start_, node, way);
}

}  // namespace overlap
