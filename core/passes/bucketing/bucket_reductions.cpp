// The nodes that buckets of reduce-scatters and all-reduces turn into (torch/_inductor/fx_passes/bucketing.py: the
// functions reduce_scatter_merge_fn_to_trace, ..._custom_ops, ..._coalesced and all_reduce_merge_fn_to_trace).

#include <array>
#include <numeric>

#include "core/base/quote.h"
#include "core/passes/bucketing/bucket_emission.h"

namespace overlap {

namespace {

std::string text_argument(const GraphEditor& graph, NodeId start, std::size_t index, const char* what) {
    const Value* value = graph.argument(start, index);
    if (!value || !value->is(ValueKind::string)) refuse_member(graph, start, std::string(what) + " is not a string");
    return std::string(graph.text(value->string));
}

/// Members must agree with the first one in device and dtype of the result; the key has checked group and reduction.
void check_members(const GraphEditor& graph, std::span<const NodeId> starts) {
    const TensorMeta& first = graph.outputs(starts.front()).front();
    for (const NodeId start : starts) {
        const TensorMeta& result = graph.outputs(start).front();
        if (result.device == first.device && result.dtype == first.dtype) continue;
        refuse_member(graph, start,
                      "its device or dtype differs from that of " + in_quotes(graph.name(starts.front())) +
                          " in the same bucket, and PyTorch raises an AssertionError");
    }
}

/// What a reduce-scatter bucket is made of, in any mode.
struct ScatterPlan {
    std::int64_t group_size = 0;
    std::string operation, group_name;
    Dtype dtype{};
    StringId device = empty_string;
    std::vector<Sizes> result_shapes;  ///< rows divided by group size
    Sizes result_elements;
    std::int64_t packed = 0;  ///< elements of the input, padding included
};

ScatterPlan plan_scatter(const GraphEditor& graph, const BucketMembers& members) {
    check_members(graph, members.starts);
    const NodeId first = members.starts.front();
    ScatterPlan plan;
    plan.operation = text_argument(graph, first, 1, "its reduction");
    plan.group_name = std::string(group_of(graph, first));
    const Value* group_size = graph.argument(first, 2);
    for (const NodeId start : members.starts) {
        const Value* size = graph.argument(start, 2);
        if (size && size->is(ValueKind::integer) && size->integer == group_size->integer && size->integer > 0) continue;
        refuse_member(graph, start,
                      "its group size is not an integer or differs from that of " + in_quotes(graph.name(first)) +
                          " in the same bucket, and PyTorch raises an AssertionError");
    }
    plan.group_size = group_size->integer;
    plan.dtype = graph.outputs(members.inputs.front()).front().dtype;
    plan.device = graph.outputs(members.inputs.front()).front().device;
    for (std::size_t index = 0; index < members.padded_shapes.size(); ++index) {
        const Sizes& shape = members.padded_shapes[index];
        if (shape.empty()) {
            refuse_member(graph, members.starts[index], "its input has no dimension, and PyTorch raises an IndexError");
        }
        plan.result_shapes.push_back(shape);
        plan.result_shapes.back()[0] /= plan.group_size;
        plan.result_elements.push_back(count_elements(shape) / plan.group_size);
        plan.packed += count_elements(shape);
    }
    return plan;
}

/// The collective on the packed `input`, its wait, and the results as views of it.
std::vector<NodeId> emit_scatter_and_unpack(TracedSequence& trace, NodeId input, const ScatterPlan& plan) {
    const std::array<std::int64_t, 1> part = {plan.packed / plan.group_size};
    const TensorMeta reduced = trace.fresh(plan.dtype, part, plan.device);
    const std::array args = {Value::of_node(input), trace.text(plan.operation), Value::of_integer(plan.group_size),
                             trace.text(plan.group_name)};
    const NodeId scatter =
        trace.emit("reduce_scatter_tensor", "_c10d_functional.reduce_scatter_tensor.default", args, {&reduced, 1});
    const std::vector<NodeId> parts = trace.split(trace.wait(scatter), plan.result_elements, 0);
    std::vector<NodeId> outputs;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        outputs.push_back(trace.reshape(parts[index], plan.result_shapes[index]));
    }
    return outputs;
}

}  // namespace

std::int64_t count_elements(std::span<const std::int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t total(std::span<const std::int64_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

std::vector<NodeId> emit_reduce_scatter_custom(TracedSequence& trace, const BucketMembers& members) {
    const ScatterPlan plan = plan_scatter(trace.graph(), members);
    std::vector<Value> args = {trace.nodes_list(members.inputs), Value::of_integer(plan.group_size)};
    if (!members.padded_members.empty()) args.push_back(trace.integers(members.padded_members));
    // A member whose padding was removed is padded again while packing, so its padded size counts.
    const std::array<std::int64_t, 1> whole = {plan.packed};
    const TensorMeta buffer = trace.fresh(plan.dtype, whole, plan.device);
    const NodeId pre =
        trace.emit("_pre_bucket_reduce_scatter", "bucketing._pre_bucket_reduce_scatter.default", args, {&buffer, 1});
    return emit_scatter_and_unpack(trace, pre, plan);
}

std::vector<NodeId> emit_reduce_scatter_concatenated(TracedSequence& trace, const BucketMembers& members) {
    const ScatterPlan plan = plan_scatter(trace.graph(), members);
    const std::array<std::int64_t, 2> rows = {plan.group_size, -1};
    std::vector<NodeId> matrices;
    for (const NodeId input : members.inputs) matrices.push_back(trace.reshape(input, rows));
    const std::array<std::int64_t, 2> matrix = {plan.group_size, plan.packed / plan.group_size};
    const TensorMeta joined = trace.fresh(plan.dtype, matrix, plan.device);
    const std::array cat_args = {trace.nodes_list(matrices), Value::of_integer(1)};
    const NodeId cat = trace.emit("cat", "aten.cat.default", cat_args, {&joined, 1});
    const std::array<std::int64_t, 1> whole = {plan.packed};
    return emit_scatter_and_unpack(trace, trace.reshape(cat, whole), plan);
}

std::vector<NodeId> emit_reduce_scatter_coalesced(TracedSequence& trace, const BucketMembers& members) {
    const ScatterPlan plan = plan_scatter(trace.graph(), members);
    const std::array<std::int64_t, 1> flat_shape = {-1};
    std::vector<NodeId> flat;
    for (const NodeId input : members.inputs) flat.push_back(trace.reshape(input, flat_shape));
    std::vector<TensorMeta> reduced;
    for (const std::int64_t elements : plan.result_elements) {
        reduced.push_back(trace.fresh(plan.dtype, std::span(&elements, 1), plan.device));
    }
    const std::array args = {trace.nodes_list(flat), trace.text(plan.operation), Value::of_integer(plan.group_size),
                             trace.text(plan.group_name)};
    const NodeId scatter =
        trace.emit("reduce_scatter_tensor_coalesced", "_c10d_functional.reduce_scatter_tensor_coalesced.default", args,
                   reduced, {}, /*multi=*/true);
    std::vector<NodeId> items, waits, outputs;
    for (std::size_t index = 0; index < reduced.size(); ++index) {
        items.push_back(trace.getitem(scatter, static_cast<std::int64_t>(index), reduced[index]));
    }
    for (const NodeId item : items) waits.push_back(trace.wait(item));
    for (std::size_t index = 0; index < waits.size(); ++index) {
        outputs.push_back(trace.reshape(waits[index], plan.result_shapes[index]));
    }
    return outputs;
}

std::vector<NodeId> emit_all_reduce(TracedSequence& trace, const BucketMembers& members) {
    GraphEditor& graph = trace.graph();
    check_members(graph, members.starts);
    const std::string operation = text_argument(graph, members.starts.front(), 1, "its reduction");
    const std::string group_name(group_of(graph, members.starts.front()));
    std::vector<Sizes> shapes;
    Sizes elements;
    std::vector<NodeId> flat;
    const std::array<std::int64_t, 1> flat_shape = {-1};
    for (const NodeId input : members.inputs) {
        const std::span<const std::int64_t> shape = graph.shape(graph.outputs(input).front());
        shapes.emplace_back(shape.begin(), shape.end());
        elements.push_back(count_elements(shapes.back()));
        flat.push_back(trace.reshape(input, flat_shape));
    }
    const TensorMeta first_input = graph.outputs(members.inputs.front()).front();
    const std::array<std::int64_t, 1> whole = {total(elements)};
    const TensorMeta joined = trace.fresh(first_input.dtype, whole, first_input.device);
    const std::array cat_args = {trace.nodes_list(flat)};
    const NodeId cat = trace.emit("cat", "aten.cat.default", cat_args, {&joined, 1});
    const TensorMeta reduced = trace.fresh(first_input.dtype, whole, first_input.device);
    const std::array args = {Value::of_node(cat), trace.text(operation), trace.text(group_name)};
    const NodeId reduce = trace.emit("all_reduce", "_c10d_functional.all_reduce.default", args, {&reduced, 1});
    const std::vector<NodeId> parts = trace.split(trace.wait(reduce), elements, 0);
    std::vector<NodeId> outputs;
    for (std::size_t index = 0; index < shapes.size(); ++index) {
        outputs.push_back(trace.reshape(parts[index], shapes[index]));
    }
    return outputs;
}

}  // namespace overlap
