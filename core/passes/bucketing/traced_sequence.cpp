#include "core/passes/bucketing/traced_sequence.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {

std::int64_t TracedSequence::next_number(std::string_view base_name) {
    for (auto& [name, number] : given_) {
        if (name == base_name) return ++number;
    }
    // `view`, `view_1`, `view_2`: the first name has no number. `slice` is a name of Python's, so torch starts at 1.
    const bool reserved = base_name == "slice";
    given_.emplace_back(base_name, reserved ? 1 : 0);
    return reserved ? 1 : -1;
}

NodeId TracedSequence::emit(std::string_view base_name, std::string_view target, std::span<const Value> args,
                            std::span<const TensorMeta> outputs, std::span<const Value> keys_and_values, bool multi) {
    GraphEditor::NewNode node;
    node.base_name = base_name;
    node.number = next_number(base_name);
    node.target = graph_.target_index(target);
    node.args = graph_.list(args);
    if (!keys_and_values.empty()) node.kwargs = graph_.dictionary(keys_and_values);
    node.outputs = outputs;
    node.multi = multi;
    node.metadata = &metadata_;
    nodes_.push_back(graph_.create(node, before_));
    return nodes_.back();
}

Value TracedSequence::nodes_list(std::span<const NodeId> nodes) {
    std::vector<Value> items;
    items.reserve(nodes.size());
    for (const NodeId node : nodes) items.push_back(Value::of_node(node));
    return graph_.list(items);
}

Value TracedSequence::integers(std::span<const std::int64_t> numbers) {
    std::vector<Value> items;
    items.reserve(numbers.size());
    for (const std::int64_t number : numbers) items.push_back(Value::of_integer(number));
    return graph_.list(items);
}

Value TracedSequence::dtype(Dtype dtype) {
    return Value::of_string(graph_.intern(dtype_info(dtype).name), ValueKind::dtype);
}

Value TracedSequence::device(StringId device) {
    std::string name(graph_.text(device));
    if (name == "cuda") name += ":0";
    return Value::of_string(graph_.intern(name), ValueKind::device);
}

TensorMeta TracedSequence::fresh(Dtype dtype, std::span<const std::int64_t> sizes, StringId device) {
    TensorMeta tensor;
    tensor.is_tensor = true;
    tensor.dtype = dtype;
    tensor.rank = static_cast<std::uint8_t>(sizes.size());
    tensor.first_dimension = graph_.dimensions(sizes, contiguous_strides(sizes));
    tensor.device = device;
    tensor.storage = graph_.new_storage();
    tensor.storage_bytes = graph_.element_count(tensor) * dtype_info(dtype).bytes;
    return tensor;
}

TensorMeta TracedSequence::view_of(const TensorMeta& base, std::span<const std::int64_t> sizes) {
    return strided_view_of(base, sizes, contiguous_strides(sizes), 0);
}

TensorMeta TracedSequence::strided_view_of(const TensorMeta& base, std::span<const std::int64_t> sizes,
                                           std::span<const std::int64_t> strides, std::int64_t offset) {
    TensorMeta tensor = base;
    tensor.extra_json = empty_string;
    tensor.rank = static_cast<std::uint8_t>(sizes.size());
    tensor.first_dimension = graph_.dimensions(sizes, strides);
    tensor.storage_offset += offset;
    return tensor;
}

NodeId TracedSequence::view(NodeId input, std::span<const std::int64_t> written_shape, const TensorMeta& result) {
    const std::array args = {Value::of_node(input), integers(written_shape)};
    return emit("view", "aten.view.default", args, {&result, 1});
}

NodeId TracedSequence::view_as(NodeId input, Dtype dtype) {
    const TensorMeta whole = tensor(input);
    const std::int64_t from = dtype_info(whole.dtype).bytes, to = dtype_info(dtype).bytes;
    std::vector<std::int64_t> sizes(graph_.shape(whole).begin(), graph_.shape(whole).end());
    std::vector<std::int64_t> strides(graph_.stride(whole).begin(), graph_.stride(whole).end());
    const auto rescale = [&](std::int64_t& elements) {
        if (elements * from % to != 0) {
            throw InputError("node " + in_quotes(graph_.name(input)),
                             "its sizes, strides or offset cannot be counted in elements of " +
                                 std::string(dtype_info(dtype).name) + ", and PyTorch raises a RuntimeError");
        }
        elements = elements * from / to;
    };
    TensorMeta result = whole;
    if (from != to) {
        rescale(sizes.back());
        for (std::size_t dimension = 0; dimension + 1 < strides.size(); ++dimension) rescale(strides[dimension]);
        rescale(result.storage_offset);
    }
    result = strided_view_of(result, sizes, strides, 0);
    result.dtype = dtype;
    const std::array args = {Value::of_node(input), this->dtype(dtype)};
    return emit("view", "aten.view.dtype", args, {&result, 1});
}

NodeId TracedSequence::empty(std::span<const std::int64_t> sizes, const TensorMeta& result) {
    const std::array args = {integers(sizes)};
    const std::array keywords = {text("dtype"),         dtype(result.dtype), text("device"),
                                 device(result.device), text("pin_memory"),  Value::of_boolean(false)};
    return emit("empty", "aten.empty.memory_format", args, {&result, 1}, keywords);
}

NodeId TracedSequence::getitem(NodeId input, std::int64_t index, const TensorMeta& result) {
    const std::array args = {Value::of_node(input), Value::of_integer(index)};
    return emit("getitem", "operator.getitem", args, {&result, 1});
}

NodeId TracedSequence::wait(NodeId start) {
    const TensorMeta started = tensor(start);
    const std::vector<std::int64_t> sizes(graph_.shape(started).begin(), graph_.shape(started).end());
    const TensorMeta result = fresh(started.dtype, sizes, started.device);
    const std::array args = {Value::of_node(start)};
    return emit("wait_tensor", "_c10d_functional.wait_tensor.default", args, {&result, 1});
}

std::vector<NodeId> TracedSequence::split(NodeId input, std::span<const std::int64_t> sizes, int dimension) {
    const TensorMeta whole = tensor(input);
    const std::int64_t rows = dimension == 1 ? graph_.shape(whole)[0] : 0;
    const std::int64_t row_stride = dimension == 1 ? graph_.stride(whole)[0] : 0;
    std::vector<TensorMeta> parts;
    parts.reserve(sizes.size());
    std::int64_t offset = 0;
    for (const std::int64_t size : sizes) {
        const std::array<std::int64_t, 2> matrix = {rows, size}, matrix_strides = {row_stride, 1};
        const std::array<std::int64_t, 1> vector = {size}, vector_strides = {1};
        parts.push_back(dimension == 1 ? strided_view_of(whole, matrix, matrix_strides, offset)
                                       : strided_view_of(whole, vector, vector_strides, offset));
        offset += size;
    }
    std::vector<Value> args = {Value::of_node(input), integers(sizes)};
    if (dimension == 1) args.push_back(Value::of_integer(1));
    const NodeId split_node =
        emit("split_with_sizes", "aten.split_with_sizes.default", args, parts, {}, /*multi=*/true);
    std::vector<NodeId> items;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        items.push_back(getitem(split_node, static_cast<std::int64_t>(index), parts[index]));
    }
    return items;
}

NodeId TracedSequence::reshape(NodeId input, std::span<const std::int64_t> shape) {
    const TensorMeta whole = tensor(input);
    const std::vector<std::int64_t> sizes(graph_.shape(whole).begin(), graph_.shape(whole).end());
    const std::vector<std::int64_t> strides(graph_.stride(whole).begin(), graph_.stride(whole).end());
    std::vector<std::int64_t> resolved(shape.begin(), shape.end());
    std::int64_t known = 1;
    for (const std::int64_t size : shape) known *= size == -1 ? 1 : size;
    for (std::int64_t& size : resolved) {
        if (size == -1) size = known == 0 ? 0 : graph_.element_count(whole) / known;
    }
    if (const auto viewed = view_strides(sizes, strides, resolved)) {
        // torch writes the shape as requested when the tensor is contiguous, else with -1 resolved.
        const TensorMeta result = strided_view_of(whole, resolved, *viewed, 0);
        return is_contiguous(sizes, strides) ? view(input, shape, result) : view(input, resolved, result);
    }
    const TensorMeta copy = fresh(whole.dtype, sizes, whole.device);
    const std::array clone_args = {Value::of_node(input)};
    const std::array keywords = {text("memory_format"),
                                 Value::of_string(graph_.intern("contiguous_format"), ValueKind::memory_format)};
    const NodeId clone = emit("clone", "aten.clone.default", clone_args, {&copy, 1}, keywords);
    const TensorMeta result = view_of(copy, resolved);
    const std::array view_args = {Value::of_node(clone), integers(resolved)};
    return emit("_unsafe_view", "aten._unsafe_view.default", view_args, {&result, 1});
}

}  // namespace overlap
