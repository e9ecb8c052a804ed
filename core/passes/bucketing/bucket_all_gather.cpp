// The nodes that an all-gather bucket turns into (torch/_inductor/fx_passes/bucketing.py: the two functions
// all_gather_merge_fn_to_trace and all_gather_merge_fn_to_trace_custom_ops, and _unpack_bucketed_all_gather_output).

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/quote.h"
#include "core/graph/strides.h"
#include "core/passes/bucketing/bucket_emission.h"

namespace overlap {

namespace {

/// Members that one foreach copy can handle: same dtypes and contiguity. Groups in first-seen order, separated by -1;
/// empty when there is one group only.
Sizes foreach_groups(const GraphEditor& graph, std::span<const NodeId> inputs, const GatherPlan& plan) {
    struct Key {
        Dtype from, to;
        bool contiguous;
        bool operator==(const Key&) const = default;
    };
    std::vector<std::pair<Key, Sizes>> groups;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
        const TensorMeta& input = graph.outputs(inputs[index]).front();
        const Key key{input.dtype, plan.dtypes[index], is_contiguous(graph.shape(input), graph.stride(input))};
        auto group = groups.begin();
        while (group != groups.end() && group->first != key) ++group;
        if (group == groups.end()) group = groups.insert(group, {key, {}});
        group->second.push_back(static_cast<std::int64_t>(index));
    }
    Sizes encoded;
    if (groups.size() <= 1) return encoded;
    for (std::size_t index = 0; index < groups.size(); ++index) {
        if (index > 0) encoded.push_back(-1);
        encoded.insert(encoded.end(), groups[index].second.begin(), groups[index].second.end());
    }
    return encoded;
}

/// The results as views of the gathered rows, one split part each.
std::vector<NodeId> unpack_by_views(TracedSequence& trace, NodeId rows, const GatherPlan& plan, const Sizes& packed) {
    std::vector<NodeId> outputs;
    const std::vector<NodeId> parts = trace.split(rows, packed, 1);
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const NodeId typed = trace.view_as(parts[index], plan.dtypes[index]);
        const TensorMeta part = trace.tensor(typed);
        const std::array alias_args = {Value::of_node(typed)};
        const NodeId alias = trace.emit("alias", "aten.alias.default", alias_args, {&part, 1});
        outputs.push_back(trace.reshape(alias, plan.result_shapes[index]));
    }
    return outputs;
}

/// The results as separate buffers, filled by one copy. Only the order of nodes ensures that they are read after the
/// copy, as in the reference.
std::vector<NodeId> unpack_by_copy(TracedSequence& trace, NodeId rows, const GatherPlan& plan, const Sizes& packed) {
    std::vector<NodeId> buffers, aliases, outputs;
    for (std::size_t index = 0; index < plan.dtypes.size(); ++index) {
        const std::array<std::int64_t, 1> size = {count_elements(plan.result_shapes[index])};
        buffers.push_back(trace.empty(size, trace.fresh(plan.dtypes[index], size, plan.device)));
    }
    for (std::size_t index = 0; index < buffers.size(); ++index) {
        const std::array<std::int64_t, 2> written = {plan.group_size, -1};
        const std::array<std::int64_t, 2> matrix = {plan.group_size, count_elements(plan.input_shapes[index])};
        const TensorMeta row_view = trace.view_of(trace.tensor(buffers[index]), matrix);
        const NodeId as_rows = trace.view(buffers[index], written, row_view);
        const NodeId typed = trace.view_as(as_rows, plan.bucket_dtype);
        const TensorMeta typed_view = trace.tensor(typed);
        const std::array alias_args = {Value::of_node(typed)};
        aliases.push_back(trace.emit("alias", "aten.alias.default", alias_args, {&typed_view, 1}));
    }
    const std::array copy_args = {Value::of_node(rows), trace.integers(packed), Value::of_integer(1)};
    const std::array copy_keywords = {trace.text("out"), trace.nodes_list(aliases)};
    trace.emit("split_with_sizes_copy", "aten.split_with_sizes_copy.out", copy_args, {}, copy_keywords);
    for (std::size_t index = 0; index < buffers.size(); ++index) {
        const Sizes& shape = plan.result_shapes[index];
        outputs.push_back(trace.view(buffers[index], shape, trace.view_of(trace.tensor(buffers[index]), shape)));
    }
    return outputs;
}

std::int64_t group_size_of(const GraphEditor& graph, NodeId start) {
    const Value* size = graph.argument(start, 1);
    if (!size || !size->is(ValueKind::integer)) refuse_member(graph, start, "its group size is not an integer");
    return size->integer;
}

/// The dtype that torch's type promotion gives a concatenation; nothing for combinations that are not covered.
std::optional<Dtype> promoted(Dtype left, Dtype right) {
    if (left == right) return left;
    const auto rank = [](Dtype dtype) {
        const std::string_view name = dtype_info(dtype).name;
        return name == "float64" ? 3 : name == "float32" ? 2 : name == "bfloat16" || name == "float16" ? 1 : 0;
    };
    if (rank(left) == 0 || rank(right) == 0) return {};
    if (rank(left) == 1 && rank(right) == 1) return dtype_by_name("float32");
    return rank(left) > rank(right) ? left : right;
}

}  // namespace

GatherPlan plan_gather(const GraphEditor& graph, const BucketMembers& members) {
    const NodeId first = members.starts.front();
    GatherPlan plan;
    plan.group_size = group_size_of(graph, first);
    plan.group_name = std::string(group_of(graph, first));
    const ProcessGroup* group = graph.source().header().process_group(plan.group_name);
    if (!group) {
        refuse_member(
            graph, first,
            "its process group " + in_quotes(plan.group_name) +
                " is not in the file, so this process's rank in it is unknown; PyTorch raises a RuntimeError");
    }
    plan.rank = group->rank;
    plan.device = graph.outputs(members.inputs.front()).front().device;
    plan.bucket_dtype = graph.outputs(first).front().dtype;
    std::int64_t elements = 0;
    for (std::size_t index = 0; index < members.starts.size(); ++index) {
        const NodeId start = members.starts[index];
        if (group_size_of(graph, start) != plan.group_size) {
            refuse_member(graph, start,
                          "its group size differs from that of " + in_quotes(graph.name(first)) +
                              " in the same bucket, and PyTorch raises an AssertionError");
        }
        const std::span<const std::int64_t> shape = graph.shape(graph.outputs(members.inputs[index]).front());
        if (shape.empty()) refuse_member(graph, start, "its input has no dimension, and PyTorch raises an IndexError");
        // Of the whole bucket, since its parts are added up; and of a first dimension beside one of size zero.
        elements += count_elements(shape);
        if (plan.group_size < 1) refuse_member(graph, start, "its group size is less than 1");
        if (plan.group_size > most_elements / std::max({elements, shape[0], std::int64_t{1}}))
            refuse_member(graph, start, "gathered from all ranks, its bucket would have more than 2^56 elements");
        plan.input_shapes.emplace_back(shape.begin(), shape.end());
        plan.result_shapes.push_back(plan.input_shapes.back());
        plan.result_shapes.back()[0] *= plan.group_size;
        plan.dtypes.push_back(graph.outputs(start).front().dtype);
        if (dtype_info(plan.dtypes.back()).bytes < dtype_info(plan.bucket_dtype).bytes) {
            plan.bucket_dtype = plan.dtypes.back();
        }
    }
    return plan;
}

NodeId emit_own_slice(TracedSequence& trace, NodeId buffer, const GatherPlan& plan, std::int64_t row,
                      NodeId first_member) {
    const std::int64_t begin = row * plan.rank;
    if (plan.rank >= plan.group_size) {
        refuse_member(trace.graph(), first_member,
                      "this process's rank " + std::to_string(plan.rank) + " does not fit the group size " +
                          std::to_string(plan.group_size) + ", and PyTorch raises an IndexError");
    }
    const std::array<std::int64_t, 1> part = {row}, unit_stride = {1};
    const TensorMeta own = trace.strided_view_of(trace.tensor(buffer), part, unit_stride, begin);
    const std::array args = {Value::of_node(buffer), Value::of_integer(0), Value::of_integer(begin),
                             Value::of_integer(begin + row)};
    return trace.emit("slice", "aten.slice.Tensor", args, {&own, 1});
}

NodeId emit_gather_rows(TracedSequence& trace, NodeId input, NodeId buffer, const GatherPlan& plan, std::int64_t row) {
    const std::array<std::int64_t, 1> whole = {row * plan.group_size};
    const TensorMeta gathered = trace.fresh(plan.bucket_dtype, whole, plan.device);
    const std::array args = {Value::of_node(input), Value::of_integer(plan.group_size), trace.text(plan.group_name)};
    const std::array keywords = {trace.text("out"), Value::of_node(buffer)};
    const NodeId gather =
        trace.emit("all_gather_into_tensor_out", "_c10d_functional.all_gather_into_tensor_out.default", args,
                   {&gathered, 1}, keywords);
    const NodeId wait = trace.wait(gather);
    const std::array<std::int64_t, 2> written = {plan.group_size, -1}, matrix = {plan.group_size, row};
    return trace.view(wait, written, trace.view_of(trace.tensor(wait), matrix));
}

std::vector<NodeId> emit_all_gather_custom(TracedSequence& trace, const BucketMembers& members) {
    const GatherPlan plan = plan_gather(trace.graph(), members);
    Sizes packed, dtype_codes;
    for (std::size_t index = 0; index < plan.dtypes.size(); ++index) {
        const DtypeInfo& info = dtype_info(plan.dtypes[index]);
        packed.push_back(count_elements(plan.input_shapes[index]) * info.bytes / dtype_info(plan.bucket_dtype).bytes);
        dtype_codes.push_back(info.torch_index);
    }
    const std::int64_t row = total(packed);
    const std::array<std::int64_t, 1> whole = {row * plan.group_size};
    const Sizes groups = foreach_groups(trace.graph(), members.inputs, plan);
    std::vector<Value> pre_args = {trace.nodes_list(members.inputs), Value::of_integer(plan.group_size),
                                   trace.dtype(plan.bucket_dtype), trace.integers(dtype_codes),
                                   Value::of_integer(plan.rank)};
    if (!groups.empty()) pre_args.push_back(trace.integers(groups));
    const TensorMeta buffer = trace.fresh(plan.bucket_dtype, whole, plan.device);
    const NodeId pre =
        trace.emit("_pre_bucket_all_gather", "bucketing._pre_bucket_all_gather.default", pre_args, {&buffer, 1});
    const NodeId own = emit_own_slice(trace, pre, plan, row, members.starts.front());
    const NodeId rows = emit_gather_rows(trace, own, pre, plan, row);
    if (row == 0) {
        std::vector<NodeId> outputs;
        for (std::size_t index = 0; index < plan.dtypes.size(); ++index) {
            const Sizes& shape = plan.result_shapes[index];
            outputs.push_back(trace.empty(shape, trace.fresh(plan.dtypes[index], shape, plan.device)));
        }
        return outputs;
    }
    if (plan.group_size == 1 || plan.dtypes.size() == 1) return unpack_by_views(trace, rows, plan, packed);
    return unpack_by_copy(trace, rows, plan, packed);
}

std::vector<NodeId> emit_all_gather_concatenated(TracedSequence& trace, const BucketMembers& members) {
    const GatherPlan plan = plan_gather(trace.graph(), members);
    Sizes packed;
    for (const Sizes& shape : plan.input_shapes) packed.push_back(count_elements(shape));
    const std::int64_t row = total(packed);
    const std::array<std::int64_t, 1> whole = {row * plan.group_size}, part = {row}, flat_shape = {-1};
    const NodeId buffer = trace.empty(whole, trace.fresh(plan.bucket_dtype, whole, plan.device));
    const NodeId own = emit_own_slice(trace, buffer, plan, row, members.starts.front());
    std::vector<NodeId> flat;
    Dtype joined_dtype = trace.tensor(members.inputs.front()).dtype;
    for (std::size_t index = 0; index < members.inputs.size(); ++index) {
        const std::optional<Dtype> promotion = promoted(joined_dtype, trace.tensor(members.inputs[index]).dtype);
        if (!promotion) {
            refuse_member(trace.graph(), members.starts[index],
                          "its bucket joins tensors of different dtypes that are not floating point, which is not "
                          "reproduced");
        }
        joined_dtype = *promotion;
        flat.push_back(trace.reshape(members.inputs[index], flat_shape));
    }
    const TensorMeta joined = trace.fresh(joined_dtype, part, plan.device);
    const std::array cat_args = {trace.nodes_list(flat)};
    const NodeId cat = trace.emit("cat", "aten.cat.default", cat_args, {&joined, 1});
    const TensorMeta filled = trace.tensor(own);
    const std::array copy_args = {Value::of_node(own), Value::of_node(cat)};
    const NodeId copy = trace.emit("copy_", "aten.copy_.default", copy_args, {&filled, 1});
    const NodeId rows = emit_gather_rows(trace, copy, buffer, plan, row);
    const std::vector<NodeId> parts = trace.split(rows, packed, 1);
    std::vector<NodeId> outputs;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        outputs.push_back(trace.reshape(parts[index], plan.result_shapes[index]));
    }
    return outputs;
}

}  // namespace overlap
