#include "core/passes/bucketing/device_puts.h"

namespace overlap {

namespace {

constexpr std::string_view device_put = "prims.device_put.default";

/// Argument `index` of a device_put, which may also come as a keyword.
template <typename AnyGraph>
const Value* argument_of(const AnyGraph& graph, NodeId node, std::size_t index, std::string_view keyword) {
    const Value* value = graph.argument(node, index);
    return value ? value : graph.keyword(node, keyword);
}

template <typename AnyGraph>
bool is_asynchronous(const AnyGraph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function || graph.target(node) != device_put) return false;
    const Value* flag = argument_of(graph, node, 2, "non_blocking");
    return flag && flag->is(ValueKind::boolean) && flag->boolean;
}

}  // namespace

bool has_asynchronous_device_put(const Graph& graph) {
    if (graph.find_target(device_put) == Graph::no_target) return false;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_asynchronous(graph, node)) return true;
    }
    return false;
}

void make_device_puts_blocking(GraphEditor& graph) {
    // No pass makes such nodes.
    if (graph.source().find_target(device_put) == Graph::no_target) return;
    for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
        if (!is_asynchronous(graph, node)) continue;
        const Value* device = argument_of(graph, node, 1, "device");
        const Value* tensor = graph.argument(node, 0);
        if (!device || !tensor) continue;
        const Value args[] = {*tensor, *device, Value::of_boolean(false)};
        graph.set_arguments(node, graph.list(args), Value{});
    }
}

}  // namespace overlap
