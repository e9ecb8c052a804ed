#include "core/passes/bucketing/safe_unpacking.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace overlap {

namespace {

constexpr std::string_view attribute_name = "subgraph_alias", wrapper_name = "filled";

/// An alias of `buffer` that comes after `copy`, made before `before`.
NodeId emit_filled(GraphEditor& graph, NodeId buffer, NodeId copy, NodeId before) {
    GraphEditor::NewNode attribute;
    attribute.base_name = attribute_name;
    attribute.target = graph.target_index(attribute.base_name);
    attribute.op = NodeOp::get_attr;
    const NodeId subgraph = graph.create(attribute, before);
    graph.set_target(subgraph, graph.target_index(std::string(graph.name(subgraph))));

    const std::array sources = {Value::of_node(copy)};
    const std::array args = {graph.list(sources), Value::of_node(subgraph), Value::of_node(buffer)};
    const std::vector<TensorMeta> outputs(graph.outputs(buffer).begin(), graph.outputs(buffer).end());
    const NodeMetadata metadata = graph.metadata(before);
    GraphEditor::NewNode filled;
    filled.base_name = wrapper_name;
    filled.target = graph.target_index("higher_order.control_deps");
    filled.args = graph.list(args);
    filled.outputs = outputs;
    filled.metadata = &metadata;
    return graph.create(filled, before);
}

}  // namespace

std::size_t order_reads_after_fill(GraphEditor& graph, std::span<const NodeId> merged) {
    const auto copy = std::ranges::find_if(
        merged, [&](NodeId node) { return graph.target(node) == "aten.split_with_sizes_copy.out"; });
    if (copy == merged.end()) return 0;
    std::size_t ordered = 0;
    for (const NodeId result : merged.subspan(static_cast<std::size_t>(copy - merged.begin()) + 1)) {
        const NodeId buffer = graph.node_argument(result, 0);
        if (buffer == no_node || !graph.target(buffer).starts_with("aten.empty.")) continue;
        const std::span<const Value> given = graph.children(graph.record(result).args);
        std::vector<Value> args(given.begin(), given.end());
        args.front() = Value::of_node(emit_filled(graph, buffer, *copy, result));
        graph.set_arguments(result, graph.list(args), graph.record(result).kwargs);
        ++ordered;
    }
    return ordered;
}

bool orders_read_after_fill(const Graph& graph, NodeId node) {
    if (graph.target(node) != "higher_order.control_deps" || !graph.name(node).starts_with(wrapper_name)) return false;
    const Value* module = graph.argument(node, 1);
    return module && module->is(ValueKind::node) && graph.target(module->node).starts_with(attribute_name);
}

}  // namespace overlap
