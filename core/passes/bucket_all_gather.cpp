// The nodes that an all-gather bucket turns into (torch/_inductor/fx_passes/bucketing.py,
// all_gather_merge_fn_to_trace_custom_ops and _unpack_bucketed_all_gather_output).

#include <array>
#include <numeric>

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/passes/bucket_merge.h"

namespace overlap {

namespace {

using Sizes = std::vector<std::int64_t>;

struct Member {
    Sizes gathered_shape;       ///< of its result: rows times group size, rest
    std::int64_t elements = 0;  ///< of its input
    std::int64_t packed = 0;    ///< its share of a bucket's row, in elements of the bucket's dtype
    Dtype dtype{};              ///< of its result
};

/// Members that one foreach copy can handle: same dtypes and contiguity. Groups in first-seen order, separated by -1;
/// empty when there is one group only.
Sizes foreach_groups(const GraphEditor& graph, std::span<const NodeId> inputs, const std::vector<Member>& members) {
    struct Key {
        Dtype from, to;
        bool contiguous;
        bool operator==(const Key&) const = default;
    };
    std::vector<std::pair<Key, Sizes>> groups;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
        const TensorMeta& input = graph.outputs(inputs[index]).front();
        const Key key{input.dtype, members[index].dtype, is_contiguous(graph.shape(input), graph.stride(input))};
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
std::vector<NodeId> unpack_by_views(TracedSequence& trace, NodeId rows, const std::vector<Member>& members,
                                    const Sizes& packed) {
    std::vector<NodeId> outputs;
    const std::vector<NodeId> parts = trace.split(rows, packed, 1);
    for (std::size_t index = 0; index < members.size(); ++index) {
        const TensorMeta part = trace.tensor(parts[index]);
        const std::array args = {Value::of_node(parts[index]), trace.dtype(members[index].dtype)};
        const NodeId typed = trace.emit("view", "aten.view.dtype", args, {&part, 1});
        const std::array alias_args = {Value::of_node(typed)};
        const NodeId alias = trace.emit("alias", "aten.alias.default", alias_args, {&part, 1});
        const Sizes& shape = members[index].gathered_shape;
        outputs.push_back(trace.view(alias, shape, trace.view_of(part, shape)));
    }
    return outputs;
}

/// The results as buffers of their own, filled by one copy. Nothing but the order of nodes says that they are read
/// after the copy; that is the reference's.
std::vector<NodeId> unpack_by_copy(TracedSequence& trace, NodeId rows, const std::vector<Member>& members,
                                   const Sizes& packed, std::int64_t group_size, Dtype bucket_dtype, StringId device) {
    std::vector<NodeId> buffers, aliases, outputs;
    for (const Member& member : members) {
        const std::array<std::int64_t, 1> size = {member.elements * group_size};
        buffers.push_back(trace.empty(size, trace.fresh(member.dtype, size, device)));
    }
    for (std::size_t index = 0; index < members.size(); ++index) {
        const std::array<std::int64_t, 2> written = {group_size, -1}, matrix = {group_size, members[index].elements};
        const TensorMeta row_view = trace.view_of(trace.tensor(buffers[index]), matrix);
        const NodeId as_rows = trace.view(buffers[index], written, row_view);
        const std::array args = {Value::of_node(as_rows), trace.dtype(bucket_dtype)};
        const NodeId typed = trace.emit("view", "aten.view.dtype", args, {&row_view, 1});
        const std::array alias_args = {Value::of_node(typed)};
        aliases.push_back(trace.emit("alias", "aten.alias.default", alias_args, {&row_view, 1}));
    }
    const std::array copy_args = {Value::of_node(rows), trace.integers(packed), Value::of_integer(1)};
    const std::array copy_keywords = {trace.text("out"), trace.nodes_list(aliases)};
    trace.emit("split_with_sizes_copy", "aten.split_with_sizes_copy.out", copy_args, {}, copy_keywords);
    for (std::size_t index = 0; index < members.size(); ++index) {
        const Sizes& shape = members[index].gathered_shape;
        outputs.push_back(trace.view(buffers[index], shape, trace.view_of(trace.tensor(buffers[index]), shape)));
    }
    return outputs;
}

std::int64_t group_size_of(const GraphEditor& graph, NodeId start) {
    const Value* size = graph.argument(start, 1);
    if (!size || !size->is(ValueKind::integer)) refuse_member(graph, start, "its group size is not an integer");
    return size->integer;
}

}  // namespace

std::vector<NodeId> emit_all_gather(TracedSequence& trace, std::span<const NodeId> starts,
                                    std::span<const NodeId> inputs) {
    GraphEditor& graph = trace.graph();
    const std::int64_t group_size = group_size_of(graph, starts.front());
    const std::string group_name(group_of(graph, starts.front()));
    const ProcessGroup* group = graph.source().header().process_group(group_name);
    if (!group) {
        refuse_member(graph, starts.front(),
                      "its process group " + in_quotes(group_name) +
                          " is not in the file, so this process's rank in it is unknown; PyTorch raises a RuntimeError");
    }
    const StringId device = graph.outputs(inputs.front()).front().device;

    std::vector<Member> members;
    std::vector<std::int64_t> dtype_codes;
    Dtype bucket_dtype = graph.outputs(starts.front()).front().dtype;
    for (std::size_t index = 0; index < starts.size(); ++index) {
        if (group_size_of(graph, starts[index]) != group_size) {
            refuse_member(graph, starts[index],
                          "its group size differs from that of " + in_quotes(graph.name(starts.front())) +
                              " in the same bucket, and PyTorch raises an AssertionError");
        }
        const TensorMeta& input = graph.outputs(inputs[index]).front();
        Member member;
        const std::span<const std::int64_t> shape = graph.shape(input);
        if (shape.empty()) refuse_member(graph, starts[index], "its input has no dimension, and PyTorch raises an IndexError");
        member.gathered_shape.assign(shape.begin(), shape.end());
        member.gathered_shape[0] *= group_size;
        member.elements = graph.element_count(input);
        member.dtype = graph.outputs(starts[index]).front().dtype;
        if (dtype_info(member.dtype).bytes < dtype_info(bucket_dtype).bytes) bucket_dtype = member.dtype;
        dtype_codes.push_back(dtype_info(member.dtype).torch_index);
        members.push_back(std::move(member));
    }
    Sizes packed;
    for (Member& member : members) {
        member.packed = member.elements * dtype_info(member.dtype).bytes / dtype_info(bucket_dtype).bytes;
        packed.push_back(member.packed);
    }
    const std::int64_t row = std::accumulate(packed.begin(), packed.end(), std::int64_t{0});

    const std::array<std::int64_t, 1> whole = {row * group_size}, part = {row};
    const Sizes groups = foreach_groups(graph, inputs, members);
    std::vector<Value> pre_args = {trace.nodes_list(inputs), Value::of_integer(group_size), trace.dtype(bucket_dtype),
                                   trace.integers(dtype_codes), Value::of_integer(group->rank)};
    if (!groups.empty()) pre_args.push_back(trace.integers(groups));
    const TensorMeta buffer = trace.fresh(bucket_dtype, whole, device);
    const NodeId pre =
        trace.emit("_pre_bucket_all_gather", "bucketing._pre_bucket_all_gather.default", pre_args, {&buffer, 1});

    const std::int64_t begin = row * group->rank;
    if (begin + row > whole[0]) {
        refuse_member(graph, starts.front(),
                      "this process's rank " + std::to_string(group->rank) + " does not fit the group size " +
                          std::to_string(group_size) + ", and PyTorch raises an IndexError");
    }
    const std::array<std::int64_t, 1> unit_stride = {1};
    const TensorMeta own = trace.strided_view_of(buffer, part, unit_stride, begin);
    const std::array slice_args = {Value::of_node(pre), Value::of_integer(0), Value::of_integer(begin),
                                   Value::of_integer(begin + row)};
    const NodeId slice = trace.emit("slice", "aten.slice.Tensor", slice_args, {&own, 1});

    const TensorMeta gathered = trace.fresh(bucket_dtype, whole, device);
    const std::array gather_args = {Value::of_node(slice), Value::of_integer(group_size), trace.text(group_name)};
    const std::array gather_keywords = {trace.text("out"), Value::of_node(pre)};
    const NodeId gather = trace.emit("all_gather_into_tensor_out", "_c10d_functional.all_gather_into_tensor_out.default",
                                     gather_args, {&gathered, 1}, gather_keywords);
    const NodeId wait = trace.wait(gather);
    const std::array<std::int64_t, 2> written = {group_size, -1}, matrix = {group_size, row};
    const NodeId rows = trace.view(wait, written, trace.view_of(trace.tensor(wait), matrix));

    if (row == 0) {
        std::vector<NodeId> outputs;
        for (const Member& member : members) {
            outputs.push_back(
                trace.empty(member.gathered_shape, trace.fresh(member.dtype, member.gathered_shape, device)));
        }
        return outputs;
    }
    if (group_size == 1 || members.size() == 1) return unpack_by_views(trace, rows, members, packed);
    return unpack_by_copy(trace, rows, members, packed, group_size, bucket_dtype, device);
}

}  // namespace overlap
