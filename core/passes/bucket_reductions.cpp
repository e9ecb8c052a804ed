// The nodes that buckets of reduce-scatters and all-reduces turn into (torch/_inductor/fx_passes/bucketing.py,
// reduce_scatter_merge_fn_to_trace_custom_ops and all_reduce_merge_fn_to_trace).

#include <array>
#include <numeric>

#include "core/graph/quote.h"
#include "core/passes/bucket_merge.h"

namespace overlap {

namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t count_elements(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

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

}  // namespace

std::vector<NodeId> emit_reduce_scatter(TracedSequence& trace, std::span<const NodeId> starts,
                                        std::span<const NodeId> inputs, std::span<const Sizes> shapes,
                                        std::span<const std::int64_t> padded_inputs) {
    GraphEditor& graph = trace.graph();
    check_members(graph, starts);
    const std::string operation = text_argument(graph, starts.front(), 1, "its reduction");
    const std::string group_name(group_of(graph, starts.front()));
    const Value* group_size_value = graph.argument(starts.front(), 2);
    for (const NodeId start : starts) {
        const Value* size = graph.argument(start, 2);
        if (!size || !size->is(ValueKind::integer) || size->integer != group_size_value->integer || size->integer <= 0) {
            refuse_member(graph, start,
                          "its group size is not an integer or differs from that of " +
                              in_quotes(graph.name(starts.front())) + " in the same bucket, and PyTorch raises an "
                              "AssertionError");
        }
    }
    const std::int64_t group_size = group_size_value->integer;

    std::vector<Sizes> results;
    Sizes result_elements;
    std::int64_t packed = 0;
    for (std::size_t index = 0; index < shapes.size(); ++index) {
        if (shapes[index].empty()) {
            refuse_member(graph, starts[index], "its input has no dimension, and PyTorch raises an IndexError");
        }
        Sizes result = shapes[index];
        result[0] /= group_size;
        results.push_back(std::move(result));
        result_elements.push_back(count_elements(shapes[index]) / group_size);
        // A padded member goes in without its padding and is padded again while packing, so its padded size counts.
        packed += count_elements(shapes[index]);
    }

    const TensorMeta first_input = graph.outputs(inputs.front()).front();
    const std::array<std::int64_t, 1> whole = {packed}, part = {packed / group_size};
    std::vector<Value> pre_args = {trace.nodes_list(inputs), Value::of_integer(group_size)};
    if (!padded_inputs.empty()) pre_args.push_back(trace.integers(padded_inputs));
    const TensorMeta buffer = trace.fresh(first_input.dtype, whole, first_input.device);
    const NodeId pre = trace.emit("_pre_bucket_reduce_scatter", "bucketing._pre_bucket_reduce_scatter.default", pre_args,
                                  {&buffer, 1});
    const TensorMeta reduced = trace.fresh(first_input.dtype, part, first_input.device);
    const std::array args = {Value::of_node(pre), trace.text(operation), Value::of_integer(group_size),
                             trace.text(group_name)};
    const NodeId scatter = trace.emit("reduce_scatter_tensor", "_c10d_functional.reduce_scatter_tensor.default", args,
                                      {&reduced, 1});
    const std::vector<NodeId> parts = trace.split(trace.wait(scatter), result_elements, 0);
    std::vector<NodeId> outputs;
    for (std::size_t index = 0; index < results.size(); ++index) {
        outputs.push_back(
            trace.view(parts[index], results[index], trace.view_of(trace.tensor(parts[index]), results[index])));
    }
    return outputs;
}

std::vector<NodeId> emit_all_reduce(TracedSequence& trace, std::span<const NodeId> starts,
                                    std::span<const NodeId> inputs) {
    GraphEditor& graph = trace.graph();
    check_members(graph, starts);
    const std::string operation = text_argument(graph, starts.front(), 1, "its reduction");
    const std::string group_name(group_of(graph, starts.front()));

    std::vector<Sizes> shapes;
    Sizes elements;
    std::vector<NodeId> flat;
    for (const NodeId input : inputs) {
        const std::span<const std::int64_t> shape = graph.shape(graph.outputs(input).front());
        shapes.emplace_back(shape.begin(), shape.end());
        elements.push_back(count_elements(shapes.back()));
        flat.push_back(trace.flatten(input));
    }
    const TensorMeta first_input = graph.outputs(inputs.front()).front();
    const std::array<std::int64_t, 1> whole = {std::accumulate(elements.begin(), elements.end(), std::int64_t{0})};
    const TensorMeta joined = trace.fresh(first_input.dtype, whole, first_input.device);
    const std::array cat_args = {trace.nodes_list(flat)};
    const NodeId cat = trace.emit("cat", "aten.cat.default", cat_args, {&joined, 1});
    const TensorMeta reduced = trace.fresh(first_input.dtype, whole, first_input.device);
    const std::array args = {Value::of_node(cat), trace.text(operation), trace.text(group_name)};
    const NodeId reduce = trace.emit("all_reduce", "_c10d_functional.all_reduce.default", args, {&reduced, 1});
    const std::vector<NodeId> parts = trace.split(trace.wait(reduce), elements, 0);
    std::vector<NodeId> outputs;
    for (std::size_t index = 0; index < shapes.size(); ++index) {
        outputs.push_back(
            trace.view(parts[index], shapes[index], trace.view_of(trace.tensor(parts[index]), shapes[index])));
    }
    return outputs;
}

}  // namespace overlap
