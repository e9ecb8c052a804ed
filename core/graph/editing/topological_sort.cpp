#include "core/graph/editing/topological_sort.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace overlap {

namespace {

/// Which missing input a node waits for, and where outputs go. torch has two sorts, which differ in this alone.
enum class TieRule : std::uint8_t {
    resumed_scan,  ///< of the inputs behind those that an earlier scan has passed, the last; outputs stay in place
    last_mention,  ///< the one that the arguments mention last; outputs are sorted as any node
};

/// Numbers of the nodes that are sorted: their own in a whole graph, dense ones in a stretch of it.
class SortedNodes {
  public:
    SortedNodes(std::span<const NodeId> order, bool whole_graph, std::uint32_t number_count)
        : whole_graph_(whole_graph), count_(number_count) {
        if (whole_graph) return;
        nodes_.assign(order.begin(), order.end());
        std::ranges::sort(nodes_);
        count_ = static_cast<std::uint32_t>(nodes_.size());
    }

    std::uint32_t count() const { return count_; }
    /// count() for a node outside.
    std::uint32_t number(NodeId node) const {
        if (whole_graph_) return node;
        const auto found = std::ranges::lower_bound(nodes_, node);
        return found == nodes_.end() || *found != node ? count_ : static_cast<std::uint32_t>(found - nodes_.begin());
    }

  private:
    bool whole_graph_;
    std::uint32_t count_;
    std::vector<NodeId> nodes_;  ///< ascending; of a stretch
};

/// One sort. The reference keeps a stack of pending nodes; here the nodes of the initial order that were not visited
/// yet are a cursor into `order`, and only nodes that were woken are on a stack above them.
class Sort {
  public:
    Sort(GraphEditor& graph, std::span<const NodeId> order, bool whole_graph, TieRule rule,
         FurtherDependencies further = {})
        : graph_(graph),
          order_(order),
          whole_graph_(whole_graph),
          rule_(rule),
          further_(further),
          nodes_(order, whole_graph, graph.number_count()),
          ready_(nodes_.count() + 1),
          scan_(nodes_.count(), unscanned),
          first_waiter_(nodes_.count(), no_node),
          next_waiter_(nodes_.count(), no_node) {
        ready_.back() = 1;  // what lies outside of a stretch counts as sorted
        if (whole_graph) sorted_.reserve(order.size());
    }

    bool run() {
        std::size_t next = 0;
        std::size_t finished = 0;
        NodeId cursor = no_node;
        while (!woken_.empty() || next < order_.size()) {
            NodeId node;
            if (!woken_.empty()) {
                node = woken_.back();
                woken_.pop_back();
            } else {
                node = order_[next++];
            }
            if (rule_ == TieRule::resumed_scan && graph_.op(node) == NodeOp::output) {
                ++finished;  // never moved and never the cursor
                continue;
            }
            const NodeId missing =
                rule_ == TieRule::resumed_scan ? next_missing_input(node) : last_missing_mention(node);
            if (missing != no_node) {
                NodeId& first_waiter = first_waiter_[nodes_.number(missing)];
                next_waiter_[nodes_.number(node)] = first_waiter;
                first_waiter = node;
                continue;
            }
            ready_[nodes_.number(node)] = 1;
            ++finished;
            if (whole_graph_) {
                sorted_.push_back(node);
            } else if (cursor != no_node && graph_.next(cursor) != node) {
                graph_.move_after(node, cursor);
            }
            cursor = node;
            // The list holds the latest waiter first, so the first one ends on top of the stack.
            NodeId waiter = std::exchange(first_waiter_[nodes_.number(node)], no_node);
            for (; waiter != no_node; waiter = next_waiter_[nodes_.number(waiter)]) woken_.push_back(waiter);
        }
        if (finished != order_.size()) return false;
        if (whole_graph_) put_in_order();
        return true;
    }

  private:
    bool is_ready(NodeId node) const { return ready_[nodes_.number(node)] != 0; }

    /// Each sorted node stands right behind the one before it, the first where it stood: what stays in place comes
    /// before all of them or behind.
    void put_in_order() {
        if (sorted_.empty()) return;
        const auto first = std::ranges::find(order_, sorted_.front());
        std::vector<NodeId> order;
        order.reserve(order_.size());
        const auto add_others = [&](auto begin, auto end) {
            if (rule_ != TieRule::resumed_scan || sorted_.size() == order_.size()) return;
            std::copy_if(begin, end, std::back_inserter(order),
                         [&](NodeId node) { return graph_.op(node) == NodeOp::output; });
        };
        add_others(order_.begin(), first);
        order.insert(order.end(), sorted_.begin(), sorted_.end());
        add_others(first, order_.end());
        graph_.set_order(order);
    }

    static constexpr std::uint32_t unscanned = 0xffffffffu;

    /// Inputs, and behind them further dependencies, are checked from the last to the first; a scan goes on where it
    /// stopped, which decides ties.
    NodeId next_missing_input(NodeId node) {
        const std::span<const NodeId> inputs = graph_.inputs(node);
        const std::span<const NodeId> further = further_.of(node);
        const auto all = static_cast<std::uint32_t>(inputs.size() + further.size());
        std::uint32_t& scan = scan_[nodes_.number(node)];
        std::uint32_t left = scan == unscanned ? all : scan;
        while (left > 0) {
            --left;
            const NodeId input = left < inputs.size() ? inputs[left] : further[left - inputs.size()];
            if (is_ready(input)) continue;
            // A further dependency that is an input as well has its turn as an input.
            if (left >= inputs.size() && std::ranges::find(inputs, input) != inputs.end()) continue;
            scan = left;
            return input;
        }
        scan = 0;
        return no_node;
    }

    NodeId last_missing_mention(NodeId node) const {
        const std::span<const NodeId> inputs = graph_.inputs(node);
        if (std::ranges::all_of(inputs, [&](NodeId input) { return is_ready(input); })) return no_node;
        const NodeRecord& record = graph_.record(node);
        const NodeId keyword = last_missing_mention(record.kwargs);
        return keyword != no_node ? keyword : last_missing_mention(record.args);
    }

    NodeId last_missing_mention(const Value& value) const {
        if (value.is(ValueKind::node)) {
            const NodeId input = graph_.current(value.node);
            return is_ready(input) ? no_node : input;
        }
        const std::span<const Value> children = graph_.children(value);
        for (std::size_t child = children.size(); child-- > 0;) {
            if (const NodeId missing = last_missing_mention(children[child]); missing != no_node) return missing;
        }
        return no_node;
    }

    GraphEditor& graph_;
    std::span<const NodeId> order_;
    const bool whole_graph_;
    TieRule rule_;
    FurtherDependencies further_;
    SortedNodes nodes_;
    std::vector<std::uint8_t> ready_;
    std::vector<std::uint32_t> scan_;
    std::vector<NodeId> first_waiter_, next_waiter_;
    std::vector<NodeId> woken_;
    std::vector<NodeId> sorted_;  ///< of a whole graph, which gets its order at once
};

/// A sorted stretch without an output node inside stays as it is, so most calls end here.
bool is_sorted(const GraphEditor& graph, std::span<const NodeId> order, FurtherDependencies further = {}) {
    for (const NodeId node : order) {
        if (graph.op(node) == NodeOp::output && node != order.back()) return false;
        const auto stands_before = [&](NodeId input) {
            return graph.is_before(input, node) || graph.is_before(order.back(), input);
        };
        if (!std::ranges::all_of(graph.inputs(node), stands_before)) return false;
        if (!std::ranges::all_of(further.of(node), stands_before)) return false;
    }
    return true;
}

}  // namespace

bool stable_topological_sort(GraphEditor& graph) {
    const std::vector<NodeId> order = graph.order();
    return is_sorted(graph, order) || Sort(graph, order, true, TieRule::resumed_scan).run();
}

bool stable_topological_sort(GraphEditor& graph, FurtherDependencies further) {
    const std::vector<NodeId> order = graph.order();
    return is_sorted(graph, order, further) || Sort(graph, order, true, TieRule::resumed_scan, further).run();
}

bool stable_topological_sort_region(GraphEditor& graph, std::span<const NodeId> region) {
    return is_sorted(graph, region) || Sort(graph, region, false, TieRule::resumed_scan).run();
}

bool stable_topological_sort_by_arguments(GraphEditor& graph) {
    // Nothing moves in a sorted graph: each node finds its inputs ready and stands behind the one before it.
    if (graph.is_topological()) return true;
    const std::vector<NodeId> order = graph.order();
    return Sort(graph, order, true, TieRule::last_mention).run();
}

}  // namespace overlap
