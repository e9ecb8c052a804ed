#include "core/redistribution/path_operators.h"

#include <algorithm>
#include <array>

namespace overlap {

namespace {

/// Operators that hand their tensor on, in another dtype or memory at most, when its shape stays.
constexpr std::array<std::string_view, 12> carriers = {"aten.view.",
                                                       "aten._unsafe_view.",
                                                       "aten.reshape.",
                                                       "aten.alias.",
                                                       "aten.detach.",
                                                       "aten.clone.",
                                                       "aten._to_copy.",
                                                       "aten.to.",
                                                       "aten.contiguous.",
                                                       "prims.view_of.",
                                                       "prims.convert_element_type",
                                                       "aten.lift_fresh_copy."};

}  // namespace

bool is_carrier(std::string_view target) {
    return std::ranges::any_of(carriers, [&](std::string_view name) { return target.starts_with(name); });
}

bool communicates_alone(std::string_view target) {
    return target == gather_operator || target == scatter_operator || target == reduce_operator ||
           target == exchange_operator;
}

bool is_split(std::string_view target) {
    return target.starts_with("aten.split.Tensor") || target.starts_with("aten.split_with_sizes.");
}

std::optional<Extents> tensor_shape(const Graph& graph, NodeId node) {
    const std::span<const TensorMeta> outputs = graph.outputs(node);
    if (outputs.size() != 1 || !outputs[0].is_tensor || graph.record(node).multi) return std::nullopt;
    const std::span<const std::int64_t> shape = graph.shape(outputs[0]);
    return Extents(shape.begin(), shape.end());
}

std::int64_t integer_argument(const Graph& graph, NodeId node, std::size_t index, std::int64_t otherwise) {
    const Value* value = graph.argument(node, index);
    return value && value->is(ValueKind::integer) ? value->integer : otherwise;
}

int dimension_argument(const Graph& graph, NodeId node, std::size_t index, std::size_t dims) {
    const std::int64_t dim = integer_argument(graph, node, index, 0);
    return static_cast<int>(dim < 0 ? dim + static_cast<std::int64_t>(dims) : dim);
}

bool has_dimension(const Extents& shape, int dim) {
    return dim >= 0 && dim < static_cast<int>(shape.size());
}

std::optional<ReduceOp> reduce_op(std::string_view name) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::avg, ReduceOp::min, ReduceOp::max, ReduceOp::product,
                              ReduceOp::band, ReduceOp::bor, ReduceOp::bxor}) {
        if (to_text(op) == name) return op;
    }
    return std::nullopt;
}

}  // namespace overlap
