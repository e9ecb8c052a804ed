#include "core/run/product_scaling.h"

#include <algorithm>
#include <string_view>

namespace overlap {

namespace {

/// The first tensor of an argument; nullptr where it has none.
const TensorMeta* tensor_argument(const Graph& graph, NodeId node, std::size_t index) {
    const Value* argument = graph.argument(node, index);
    if (!argument || !argument->is(ValueKind::node)) return nullptr;
    const std::span<const TensorMeta> outputs = graph.outputs(argument->node);
    return outputs.empty() || !outputs[0].is_tensor ? nullptr : &outputs[0];
}

std::string_view type_name(const TensorMeta& tensor) {
    return dtype_info(tensor.dtype).name;
}

bool is_eight_bit_float(const TensorMeta& tensor) {
    return type_name(tensor) == "float8_e4m3fn" || type_name(tensor) == "float8_e5m2";
}

bool has_wide_type(const TensorMeta& tensor) {
    return type_name(tensor) == "bfloat16" || type_name(tensor) == "float16" || type_name(tensor) == "float32";
}

/// Whether lines of a matrix along `dimension` lie one behind the other, without gaps.
bool lies_along(const Graph& graph, const TensorMeta& matrix, std::size_t dimension) {
    const std::span<const std::int64_t> sizes = graph.shape(matrix), strides = graph.stride(matrix);
    return strides[dimension] == 1 && (sizes[1 - dimension] == 1 || strides[1 - dimension] == sizes[dimension]);
}

bool flag(const Graph& graph, NodeId node, std::size_t index, std::string_view keyword) {
    const Value* value = graph.argument(node, index);
    if (!value) value = graph.keyword(node, keyword);
    return value && value->is(ValueKind::boolean) && value->boolean;
}

}  // namespace

std::optional<ProductScaling> scaling_of(const Graph& graph, NodeId node) {
    if (graph.target(node) != "aten._scaled_mm.default" || graph.outputs(node).size() != 1) return std::nullopt;
    const TensorMeta* left = tensor_argument(graph, node, 0);
    const TensorMeta* right = tensor_argument(graph, node, 1);
    const TensorMeta* left_scale = tensor_argument(graph, node, 2);
    const TensorMeta* right_scale = tensor_argument(graph, node, 3);
    const TensorMeta& result = graph.outputs(node)[0];
    if (!left || !right || !left_scale || !right_scale || left->rank != 2 || right->rank != 2) return std::nullopt;
    if (!is_eight_bit_float(*left) || !is_eight_bit_float(*right) || !has_wide_type(result)) return std::nullopt;
    if (type_name(*left) == "float8_e5m2" && type_name(*right) == "float8_e5m2") return std::nullopt;
    if (!lies_along(graph, *left, 1) || !lies_along(graph, *right, 0)) return std::nullopt;
    if (type_name(*left_scale) != "float32" || type_name(*right_scale) != "float32") return std::nullopt;
    const std::int64_t left_scales = graph.element_count(*left_scale), right_scales = graph.element_count(*right_scale);
    const bool whole = left_scales == 1 && right_scales == 1;
    const bool by_rows = left_scales == graph.shape(*left)[0] && right_scales == graph.shape(*right)[1];
    if (!whole && !by_rows) return std::nullopt;
    constexpr std::size_t place_of_flag = 7;
    return ProductScaling{!whole, flag(graph, node, place_of_flag, "use_fast_accum"), right->dtype, result.dtype};
}

}  // namespace overlap
