#include "core/predict/matrix_products.h"

#include <string_view>

namespace overlap {
namespace {

std::span<const std::int64_t> argument_shape(const Graph& graph, NodeId node, std::size_t index) {
    const Value* argument = graph.argument(node, index);
    if (!argument || !argument->is(ValueKind::node)) return {};
    const std::span<const TensorMeta> outputs = graph.outputs(argument->node);
    if (outputs.size() != 1 || !outputs[0].is_tensor) return {};
    return graph.shape(outputs[0]);
}

/// The last two sizes of both arguments; those before are the batch of the first.
std::optional<MatrixProduct> product_of(std::span<const std::int64_t> left, std::span<const std::int64_t> right) {
    if (left.size() < 2 || right.size() < 2) return std::nullopt;
    MatrixProduct product{1, left[left.size() - 2], right.back(), left.back()};
    for (const std::int64_t size : left.first(left.size() - 2)) product.batch *= size;
    return product;
}

/// Rows of all groups together; of the gradient of the weights, whose groups cut the depth, each group a part of it.
std::optional<MatrixProduct> grouped_product(std::span<const std::int64_t> left, std::span<const std::int64_t> right) {
    if (left.size() != 2 || right.size() < 2) return std::nullopt;
    return MatrixProduct{1, left[0], right.back(), left[1]};
}

}  // namespace

std::optional<MatrixProduct> matrix_product(const Graph& graph, NodeId node) {
    const std::string_view target = graph.target(node);
    const auto product_from = [&](std::size_t first) {
        return product_of(argument_shape(graph, node, first), argument_shape(graph, node, first + 1));
    };
    if (target.starts_with("aten.mm.") || target.starts_with("aten.bmm.") || target.starts_with("aten._scaled_mm."))
        return product_from(0);
    if (target.starts_with("aten.addmm.") || target.starts_with("aten.baddbmm.")) return product_from(1);
    if (target.starts_with("aten._grouped_mm."))
        return grouped_product(argument_shape(graph, node, 0), argument_shape(graph, node, 1));
    return std::nullopt;
}

}  // namespace overlap
