#include "tests/imports/stripped_graph.h"

#include <charconv>

#include "core/files/json_members.h"

namespace overlap::test {
namespace {

Value copied(const Graph& graph, const Value& value, GraphBuilder& builder) {
    Value copy = value;
    if (value.has_children()) {
        std::vector<Value> children;
        for (const Value& child : graph.children(value)) children.push_back(copied(graph, child, builder));
        copy = builder.with_children(value.kind, children);
    } else if (!value.is(ValueKind::none) && !value.is(ValueKind::boolean) && !value.is(ValueKind::integer) &&
               !value.is(ValueKind::floating) && !value.is(ValueKind::node)) {
        copy.string = builder.intern(graph.text(value.string));
    }
    return copy;
}

DeclaredTensor declared(const Graph& graph, const TensorMeta& tensor) {
    DeclaredTensor result;
    result.dtype = tensor.dtype;
    result.shape.assign(graph.shape(tensor).begin(), graph.shape(tensor).end());
    result.stride.emplace(graph.stride(tensor).begin(), graph.stride(tensor).end());
    result.device = graph.text(tensor.device);
    result.storage_offset = tensor.storage_offset;
    result.storage_bytes = tensor.storage_bytes;
    result.storage = static_cast<int>(tensor.storage);
    return result;
}

std::optional<std::int64_t> hint_of(const Graph& graph, NodeId node) {
    const std::string_view extra = graph.text(graph.metadata(node).extra_json);
    const std::string_view hint = json_member(json_member(extra, "symbolic_value"), "hint");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(hint.data(), hint.data() + hint.size(), value);
    if (hint.empty() || error != std::errc()) return std::nullopt;
    return value;
}

bool same_tensor(const Graph& left, const TensorMeta& a, const Graph& right, const TensorMeta& b) {
    if (a.is_tensor != b.is_tensor) return false;
    if (!a.is_tensor) return true;
    return a.dtype == b.dtype && std::ranges::equal(left.shape(a), right.shape(b)) &&
           std::ranges::equal(left.stride(a), right.stride(b)) && a.storage_offset == b.storage_offset &&
           left.text(a.device) == right.text(b.device);
}

bool shares_with_input(const Graph& graph, NodeId node, const TensorMeta& tensor) {
    for (const NodeId input : graph.inputs(node)) {
        for (const TensorMeta& other : graph.outputs(input)) {
            if (other.is_tensor && other.storage == tensor.storage) return true;
        }
    }
    return false;
}

}  // namespace

UntypedGraph strip_tensors(const Graph& graph) {
    UntypedGraph stripped;
    GraphBuilder& builder = stripped.builder;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        UntypedNode node;
        node.record.name = builder.intern(graph.name(id));
        node.record.target = builder.target(graph.target(id));
        node.record.op = graph.op(id);
        node.record.args = copied(graph, graph.record(id).args, builder);
        node.record.kwargs = copied(graph, graph.record(id).kwargs, builder);
        node.value = hint_of(graph, id);
        const auto outputs = graph.outputs(id);
        if (graph.op(id) != NodeOp::call_function && outputs.size() == 1 && outputs[0].is_tensor) {
            node.declared = declared(graph, outputs[0]);
        }
        stripped.nodes.push_back(std::move(node));
    }
    return stripped;
}

TypingComparison compare_typing(const Graph& graph) {
    TypingReport report;
    const Graph typed = add_tensor_types(strip_tensors(graph), {}, report);
    TypingComparison comparison;
    comparison.unknown.insert(report.unknown_operators.begin(), report.unknown_operators.end());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const auto truth = graph.outputs(node);
        if (graph.op(node) != NodeOp::call_function || truth.empty()) continue;
        ++comparison.calls;
        const auto found = typed.outputs(node);
        if (found.empty()) continue;
        ++comparison.known;
        bool equal = truth.size() == found.size() && graph.record(node).multi == typed.record(node).multi;
        for (std::size_t index = 0; equal && index < truth.size(); ++index) {
            equal = same_tensor(graph, truth[index], typed, found[index]);
            if (!equal || !truth[index].is_tensor) continue;
            ++comparison.aliases_checked;
            if (shares_with_input(graph, node, truth[index]) == shares_with_input(typed, node, found[index])) {
                ++comparison.aliases_equal;
            } else {
                ++comparison.different[std::string(graph.target(node)) + " (memory)"];
            }
        }
        if (equal) {
            ++comparison.equal;
            continue;
        }
        ++comparison.different[std::string(graph.target(node))];
        if (comparison.first_difference.empty()) comparison.first_difference = graph.name(node);
    }
    return comparison;
}

}  // namespace overlap::test
