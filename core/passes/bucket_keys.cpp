#include "core/passes/bucket_keys.h"

#include "core/passes/bucket_merge.h"

namespace overlap {

namespace {

/// Sums the tensors that a value's nodes are; a node that returns several is none.
struct TensorSum {
    std::int64_t bytes = 0;
    bool any = false;

    void add(const GraphEditor& graph, const Value& value) {
        if (value.is(ValueKind::node)) {
            const NodeId input = graph.current(value.node);
            if (graph.record(input).multi || graph.outputs(input).empty()) return;
            if (!graph.outputs(input).front().is_tensor) return;
            bytes += output_bytes(graph, input);
            any = true;
        }
        for (const Value& child : graph.children(value)) add(graph, child);
    }
};

}  // namespace

CollectiveKind bucketable_kind(const GraphEditor& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return CollectiveKind::none;
    const CollectiveKind kind = graph.target_info(node).recognised;
    const std::string_view target = graph.target(node);
    switch (kind) {
        case CollectiveKind::all_gather:
            if (target == "_c10d_functional.all_gather_into_tensor.default") return kind;
            return target == "_c10d_functional.all_gather_into_tensor_out.default" ? kind : CollectiveKind::none;
        case CollectiveKind::reduce_scatter:
            return target == "_c10d_functional.reduce_scatter_tensor.default" ? kind : CollectiveKind::none;
        case CollectiveKind::all_reduce:
            return target == "_c10d_functional.all_reduce.default" ? kind : CollectiveKind::none;
        default:
            return CollectiveKind::none;
    }
}

BucketKey bucket_key(const GraphEditor& graph, NodeId start, bool several_dtypes) {
    BucketKey key;
    key.kind = bucketable_kind(graph, start);
    const std::size_t arguments = key.kind == CollectiveKind::reduce_scatter ? 4 : 3;
    if (graph.children(graph.record(start).args).size() != arguments) {
        refuse_member(graph, start, "it does not have its arguments by position, and PyTorch raises a ValueError");
    }
    if (key.kind != CollectiveKind::all_gather) {
        const Value* reduction = graph.argument(start, 1);
        if (!reduction->is(ValueKind::string)) refuse_member(graph, start, "its reduction is not a string");
        key.reduction = graph.text(reduction->string);
    }
    if (graph.outputs(start).size() != 1) refuse_member(graph, start, "the file does not say what it returns");
    key.process_group = group_of(graph, start);
    if (key.kind != CollectiveKind::all_gather || !several_dtypes) key.dtype = graph.outputs(start).front().dtype;
    return key;
}

std::int64_t output_bytes(const GraphEditor& graph, NodeId node) {
    std::int64_t bytes = 0;
    for (const TensorMeta& tensor : graph.outputs(node)) {
        if (tensor.is_tensor) bytes += graph.element_count(tensor) * dtype_info(tensor.dtype).bytes;
    }
    return bytes;
}

std::int64_t collective_transfer_bytes(const GraphEditor& graph, NodeId start) {
    TensorSum taken;
    taken.add(graph, graph.record(start).args);
    const std::span<const Value> keywords = graph.children(graph.record(start).kwargs);
    for (std::size_t key = 0; key + 1 < keywords.size(); key += 2) {
        if (graph.text(keywords[key].string) != "out") taken.add(graph, keywords[key + 1]);
    }
    return taken.any && !graph.outputs(start).empty() ? taken.bytes + output_bytes(graph, start) : 0;
}

std::int64_t collective_footprint_bytes(const GraphEditor& graph, NodeId start) {
    const std::int64_t bytes = collective_transfer_bytes(graph, start);
    return bucketable_kind(graph, start) == CollectiveKind::all_reduce ? bytes / 2 : bytes;
}

}  // namespace overlap
