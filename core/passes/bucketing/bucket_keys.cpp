#include "core/passes/bucketing/bucket_keys.h"

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {

template <typename AnyGraph>
void refuse_member(const AnyGraph& graph, NodeId start, const std::string& reason) {
    throw InputError("node " + in_quotes(graph.name(start)), reason);
}

template <typename AnyGraph>
std::string_view group_of(const AnyGraph& graph, NodeId start) {
    const int index = graph.target_info(start).group_argument;
    const Value* group = index < 0 ? nullptr : graph.argument(start, static_cast<std::size_t>(index));
    if (!group || !group->is(ValueKind::string)) {
        refuse_member(
            graph, start,
            "its process group is not a name among its positional arguments (graphs compiled on one rank give "
            "a node instead); bucketing such collectives is not reproduced");
    }
    return graph.text(group->string);
}

template <typename AnyGraph>
CollectiveKind bucketable_kind(const AnyGraph& graph, NodeId node) {
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

template <typename AnyGraph>
BucketKey bucket_key(const AnyGraph& graph, NodeId start, bool several_dtypes) {
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

template void refuse_member(const Graph&, NodeId, const std::string&);
template void refuse_member(const GraphEditor&, NodeId, const std::string&);
template std::string_view group_of(const Graph&, NodeId);
template std::string_view group_of(const GraphEditor&, NodeId);
template CollectiveKind bucketable_kind(const Graph&, NodeId);
template CollectiveKind bucketable_kind(const GraphEditor&, NodeId);
template BucketKey bucket_key(const Graph&, NodeId, bool);
template BucketKey bucket_key(const GraphEditor&, NodeId, bool);

}  // namespace overlap
