#include "core/passes/overlap_reach.h"

#include <algorithm>
#include <unordered_map>

#include "core/cost/control_deps.h"
#include "core/graph/quote.h"

namespace overlap {

namespace {

/// Everything that can be reached from `roots`: for each node the one that it was reached from, a root for itself.
template <typename Neighbours>
std::vector<NodeId> reached_from(const Graph& graph, const std::vector<NodeId>& roots, Neighbours neighbours) {
    std::vector<NodeId> next(graph.node_count(), no_node);
    std::vector<NodeId> pending = roots;
    for (const NodeId root : roots) next[root] = root;
    // Breadth first: the ways that messages show are short.
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

}  // namespace

void FurtherEdges::add(const OverlapEdge& edge) {
    std::vector<NodeId>& before = before_[edge.target];
    if (std::find(before.begin(), before.end(), edge.source) != before.end()) return;
    before.push_back(edge.source);
    after_[edge.source].push_back(edge.target);
}

void FurtherEdges::add_group_order(const Graph& graph) {
    std::unordered_map<std::string_view, NodeId> last_of_group;
    std::unordered_map<NodeId, std::string> wrapped_groups;
    for (const WrappedOperation& wrapped : wrapped_operations(graph))
        if (wrapped.starts != CollectiveKind::none) wrapped_groups.emplace(wrapped.node, wrapped.process_group);
    for (const NodeId start : collective_starts(graph)) {
        const auto wrapped = wrapped_groups.find(start);
        const std::string_view group =
            wrapped != wrapped_groups.end() ? std::string_view(wrapped->second) : graph.group_name(start);
        const auto [last, first] = last_of_group.emplace(group, start);
        if (!first) add({start, std::exchange(last->second, start)});
    }
}

std::vector<NodeId> collective_starts(const Graph& graph) {
    std::vector<NodeId> starts;
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).starts != CollectiveKind::none)
            starts.push_back(node);
    for (const WrappedOperation& wrapped : wrapped_operations(graph))
        if (wrapped.starts != CollectiveKind::none) starts.push_back(wrapped.node);
    std::sort(starts.begin(), starts.end());
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

OverlapReach::OverlapReach(const Graph& graph, const FurtherEdges& further, NodeId start)
    : graph_(graph), start_(start), waits_(waits_of(graph, start)) {
    const auto needs = [&](NodeId node, auto visit) {
        for (const NodeId input : graph.inputs(node)) visit(input);
        for (const NodeId source : further.before(node)) visit(source);
    };
    const auto dependents = [&](NodeId node, auto visit) {
        for (const NodeId user : graph.users(node)) visit(user);
        for (const NodeId target : further.after(node)) visit(target);
    };
    needs_next_ = reached_from(graph, {start}, needs);
    dependent_next_ = reached_from(graph, waits_, dependents);
    follows_next_ = reached_from(graph, {start}, dependents);
}

bool OverlapReach::allows(Wish wish, NodeId node) const {
    switch (wish) {
        case Wish::start_after:
            return follows_next_[node] == unreached;
        case Wish::start_before:
            return needs_next_[node] == unreached;
        case Wish::wait_after:
            break;
    }
    return !waits_.empty() && dependent_next_[node] == unreached;
}

std::string OverlapReach::refusal(Wish wish, NodeId node) const {
    if (allows(wish, node)) return {};
    const std::string name(graph_.name(node)), own(graph_.name(start_));
    if (node == start_) return "a collective cannot be placed by itself";
    if (wish == Wish::start_before)
        return own + " cannot start before " + name + ", which it needs: " + way(needs_next_, node);
    if (wish == Wish::start_after)
        return own + " cannot start after " + name + ", which needs it: " + way(follows_next_, node);
    if (waits_.empty()) return own + " is not waited for in this graph";
    return own + " cannot be waited for after " + name + ", which needs its result: " + way(dependent_next_, node);
}

std::string OverlapReach::way(const std::vector<NodeId>& next, NodeId from) const {
    std::vector<NodeId> nodes{from};
    while (next[nodes.back()] != nodes.back()) nodes.push_back(next[nodes.back()]);
    return way_text(graph_, nodes);
}

std::string way_text(const Graph& graph, const std::vector<NodeId>& nodes) {
    constexpr std::size_t shown_at_ends = 3;
    std::string text;
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        if (index > 0) text += " \xe2\x86\x92 ";  // an arrow to the right
        if (nodes.size() > 2 * shown_at_ends + 1 && index == shown_at_ends) {
            text.append("(").append(std::to_string(nodes.size() - 2 * shown_at_ends)).append(" more)");
            index = nodes.size() - shown_at_ends - 1;
            continue;
        }
        text += graph.name(nodes[index]);
    }
    return text;
}

std::vector<NodeId> find_cycle(const Graph& graph, const FurtherEdges& further) {
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(graph.node_count(), Mark::fresh);
    struct Frame {
        NodeId node;
        std::size_t edge;
    };
    std::vector<Frame> stack;
    for (NodeId root = 0; root < graph.node_count(); ++root) {
        if (marks[root] != Mark::fresh) continue;
        stack.push_back({root, 0});
        marks[root] = Mark::open;
        while (!stack.empty()) {
            Frame& frame = stack.back();
            const std::span<const NodeId> inputs = graph.inputs(frame.node);
            const std::vector<NodeId>& before = further.before(frame.node);
            if (frame.edge == inputs.size() + before.size()) {
                marks[frame.node] = Mark::done;
                stack.pop_back();
                continue;
            }
            const std::size_t edge = frame.edge++;
            const NodeId needed = edge < inputs.size() ? inputs[edge] : before[edge - inputs.size()];
            if (marks[needed] == Mark::fresh) {
                marks[needed] = Mark::open;
                stack.push_back({needed, 0});
            } else if (marks[needed] == Mark::open) {
                std::vector<NodeId> cycle;
                const auto first =
                    std::find_if(stack.begin(), stack.end(), [&](const Frame& open) { return open.node == needed; });
                for (auto open = first; open != stack.end(); ++open) cycle.push_back(open->node);
                return cycle;
            }
        }
    }
    return {};
}

}  // namespace overlap
