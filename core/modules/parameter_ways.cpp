#include "core/modules/parameter_ways.h"

#include <algorithm>

namespace overlap {

namespace {

bool is_root(const Graph& graph, NodeId node) {
    return graph.op(node) == NodeOp::placeholder || graph.op(node) == NodeOp::get_attr;
}

/// The values that a graph returns, nested lists flattened; no_node for those that are no nodes.
std::vector<NodeId> returned_values(const Graph& graph) {
    std::vector<NodeId> returned;
    if (graph.node_count() == 0 || graph.op(graph.node_count() - 1) != NodeOp::output) return returned;
    std::vector<Value> left;
    const auto push = [&](std::span<const Value> values) { left.insert(left.end(), values.rbegin(), values.rend()); };
    push(graph.children(graph.record(graph.node_count() - 1).args));
    while (!left.empty()) {
        const Value value = left.back();
        left.pop_back();
        if (value.is(ValueKind::list)) {
            push(graph.children(value));
        } else {
            returned.push_back(value.is(ValueKind::node) ? value.node : no_node);
        }
    }
    return returned;
}

enum class Fit { differs, says_nothing, equal };

/// Whether a returned value may be the gradient of an input.
Fit fit(const Graph& graph, NodeId input, NodeId returned) {
    if (returned == no_node || graph.op(returned) != NodeOp::call_function) return Fit::says_nothing;
    const auto tensors = graph.outputs(input), gradients = graph.outputs(returned);
    if (tensors.size() != 1 || gradients.size() != 1) return Fit::differs;
    if (!tensors[0].is_tensor || !gradients[0].is_tensor) return Fit::differs;
    return std::ranges::equal(graph.shape(tensors[0]), graph.shape(gradients[0])) ? Fit::equal : Fit::differs;
}

}  // namespace

ParameterWays::ParameterWays(const Graph& graph) : graph_(graph) {
    root_of_.assign(graph.node_count(), no_node);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_root(graph, node)) {
            roots_.push_back(node);
            root_of_[node] = node;
            continue;
        }
        for (const NodeId input : graph.inputs(node)) {
            const NodeId root = root_of_[input];
            if (root == no_node) continue;
            root_of_[node] = root_of_[node] == no_node || root_of_[node] == root ? root : of_several;
        }
    }
    find_gradients();
}

std::vector<NodeId> ParameterWays::roots_of(NodeId node) const {
    if (is_root(graph_, node) || root_of_[node] == no_node) return {};
    if (root_of_[node] != of_several) return {root_of_[node]};
    std::vector<NodeId> roots;
    for (const NodeId input : graph_.inputs(node)) {
        const NodeId root = root_of_[input];
        const bool known = std::ranges::find(roots, root) != roots.end();
        if (root != no_node && root != of_several && !known) roots.push_back(root);
    }
    return roots;
}

void ParameterWays::find_gradients() {
    gradient_of_.assign(graph_.node_count(), no_node);
    const std::vector<NodeId> returned = returned_values(graph_);
    std::vector<NodeId> inputs;
    std::ranges::copy_if(roots_, std::back_inserter(inputs),
                         [this](NodeId root) { return graph_.op(root) == NodeOp::placeholder; });
    std::optional<std::size_t> begin;
    for (std::size_t offset = 0; offset < returned.size(); ++offset) {
        const std::size_t count = returned.size() - offset;
        if (count > inputs.size()) continue;
        std::size_t equal = 0;
        bool fits = true;
        for (std::size_t index = 0; index < count && fits; ++index) {
            const Fit one = fit(graph_, inputs[index], returned[offset + index]);
            fits = one != Fit::differs;
            equal += one == Fit::equal ? 1 : 0;
        }
        if (!fits || equal < 2) continue;
        // Fewer values fit more easily: only the first place counts, and it must leave hardly anything in front.
        begin = offset;
        break;
    }
    if (!begin) return;
    for (std::size_t index = 0; *begin + index < returned.size(); ++index) {
        if (fit(graph_, inputs[index], returned[*begin + index]) == Fit::equal)
            gradient_of_[inputs[index]] = returned[*begin + index];
    }
}

std::vector<NodeId> ParameterWays::gradient_way(NodeId root) const {
    std::vector<NodeId> way;
    const auto leads_elsewhere = [&](NodeId user) {
        return graph_.op(user) != NodeOp::output && std::ranges::find(way, user) == way.end();
    };
    for (NodeId node = gradient_of_[root]; node != no_node && graph_.op(node) == NodeOp::call_function;) {
        if (std::ranges::any_of(graph_.users(node), leads_elsewhere)) break;
        way.push_back(node);
        node = graph_.inputs(node).size() == 1 ? graph_.inputs(node).front() : no_node;
    }
    return way;
}

}  // namespace overlap
