#include "core/cost/control_deps.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace overlap {

namespace {

constexpr std::string_view wrapper = "higher_order.control_deps";
constexpr std::string_view subgraph_prefix = "subgraph_";
constexpr std::string_view collective_namespace = "_c10d_functional.";

/// Removes a trailing `_<digits>`; false when there is none.
bool drop_number(std::string_view& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == name.size() || name[last] != '_') return false;
    name = name.substr(0, last);
    return true;
}

/// The node whose operation the wait inside `node` awaits, through at most one getitem.
NodeId awaited_source(const Graph& graph, NodeId node) {
    const Value* awaited = graph.argument(node, WrappedOperation::first_argument);
    if (!awaited || !awaited->is(ValueKind::node)) return no_node;
    if (!graph.target_info(awaited->node).is_getitem) return awaited->node;
    const Value* source = graph.argument(awaited->node, 0);
    return source && source->is(ValueKind::node) ? source->node : no_node;
}

/// Finds process groups of collectives that are wrapped, from those that are not.
class GroupGuess {
  public:
    explicit GroupGuess(const Graph& graph) : graph_(graph) {
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (graph.op(node) != NodeOp::call_function) continue;
            const CollectiveKind kind = graph.target_info(node).starts;
            if (kind != CollectiveKind::none) note(kind, graph.group_name(node));
        }
    }

    std::string group_of(const WrappedOperation& operation) const {
        const std::vector<ProcessGroup>& groups = graph_.header().process_groups;
        std::vector<std::string_view> candidates;
        const std::int64_t size = group_size(operation);
        for (const ProcessGroup& group : groups) {
            if (size == 0 || static_cast<std::int64_t>(group.ranks.size()) == size) candidates.push_back(group.name);
        }
        if (candidates.empty()) {
            for (const ProcessGroup& group : groups) candidates.push_back(group.name);
        }
        const auto of_kind = used_.find(operation.starts);
        if (of_kind != used_.end()) {
            for (const std::string_view name : of_kind->second) {
                if (candidates.empty() || contains(candidates, name)) return std::string(name);
            }
        }
        for (const std::string_view name : used_by_any_) {
            if (candidates.empty() || contains(candidates, name)) return std::string(name);
        }
        return candidates.empty() ? std::string() : std::string(candidates.front());
    }

  private:
    static bool contains(const std::vector<std::string_view>& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    void note(CollectiveKind kind, std::string_view name) {
        if (name.empty()) return;
        if (!contains(used_[kind], name)) used_[kind].push_back(name);
        if (!contains(used_by_any_, name)) used_by_any_.push_back(name);
    }

    /// Ranks that take part, as far as the sizes of input and output show; 0 when they do not.
    std::int64_t group_size(const WrappedOperation& operation) const {
        const Value* input = graph_.argument(operation.node, WrappedOperation::first_argument);
        if (!input || !input->is(ValueKind::node)) return 0;
        std::int64_t small = graph_.output_bytes(input->node);
        std::int64_t large = graph_.output_bytes(operation.node);
        if (operation.starts == CollectiveKind::reduce_scatter) std::swap(small, large);
        const bool tells =
            operation.starts == CollectiveKind::all_gather || operation.starts == CollectiveKind::reduce_scatter;
        return tells && small > 0 && large % small == 0 ? large / small : 0;
    }

    const Graph& graph_;
    std::map<CollectiveKind, std::vector<std::string_view>> used_;
    std::vector<std::string_view> used_by_any_;
};

void describe(const Graph& graph, WrappedOperation& operation) {
    const Value* subgraph = graph.argument(operation.node, 1);
    if (!subgraph || !subgraph->is(ValueKind::node)) return;
    std::string_view name = graph.target(subgraph->node);
    if (!name.starts_with(subgraph_prefix)) return;
    name.remove_prefix(subgraph_prefix.size());
    operation.operator_name = name;
    // The node's number and, where that subgraph's name was taken, the number of the subgraph.
    for (bool more = true; more; more = drop_number(name)) {
        const TargetInfo info = describe_target(std::string(collective_namespace) + std::string(name) + ".default");
        const FlopFormula formula = flop_formula("aten." + std::string(name));
        operation.operator_name = name;
        operation.starts = info.starts;
        operation.is_wait = info.is_wait;
        operation.formula = formula;
        if (info.starts != CollectiveKind::none || info.is_wait || formula != FlopFormula::none) return;
    }
}

}  // namespace

bool is_control_deps(const Graph& graph, NodeId node) {
    return graph.op(node) == NodeOp::call_function && graph.target(node) == wrapper;
}

std::vector<WrappedOperation> wrapped_operations(const Graph& graph) {
    std::vector<WrappedOperation> operations;
    if (graph.find_target(wrapper) == Graph::no_target) return operations;
    std::vector<bool> starts(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        starts[node] = graph.target_info(node).starts != CollectiveKind::none;
        if (!is_control_deps(graph, node)) continue;
        WrappedOperation operation;
        operation.node = node;
        describe(graph, operation);
        starts[node] = operation.starts != CollectiveKind::none;
        if (operation.is_wait) {
            const NodeId source = awaited_source(graph, node);
            operation.is_wait = source != no_node && starts[source];
        }
        operations.push_back(std::move(operation));
    }
    if (!operations.empty()) {
        const GroupGuess guess(graph);
        for (WrappedOperation& operation : operations) {
            if (operation.starts != CollectiveKind::none) operation.process_group = guess.group_of(operation);
        }
    }
    return operations;
}

}  // namespace overlap
