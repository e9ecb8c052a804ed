// Matrix products.

#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

Sizes product_shape(const KnownTensor& left, const KnownTensor& right, std::size_t rank) {
    if (left.rank() != rank || right.rank() != rank || left.shape[rank - 1] != right.shape[rank - 2]) {
        throw UnknownShape{"the shapes of its matrices do not fit"};
    }
    Sizes shape = left.shape;
    shape[rank - 1] = right.shape[rank - 1];
    return shape;
}

void matrix_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(0, "self");
    call.returns(call.fresh(left.dtype, product_shape(left, call.tensor(1, "mat2"), 2), left.device));
}

void batched_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(0, "self");
    call.returns(call.fresh(left.dtype, product_shape(left, call.tensor(1, "mat2"), 3), left.device));
}

void added_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(1, "mat1");
    call.returns(call.fresh(left.dtype, product_shape(left, call.tensor(2, "mat2"), 2), left.device));
}

void added_batched_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(1, "batch1");
    call.returns(call.fresh(left.dtype, product_shape(left, call.tensor(2, "batch2"), 3), left.device));
}

void matrix_vector_product(ShapeCall& call) {
    const KnownTensor& matrix = call.tensor(0, "self");
    if (matrix.rank() != 2) throw UnknownShape{"the shapes of its arguments do not fit"};
    call.returns(call.fresh(matrix.dtype, {matrix.shape[0]}, matrix.device));
}

void inner_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(0, "self");
    call.returns(call.fresh(left.dtype, {}, left.device));
}

/// Products of groups of rows, whose ends are in `offs`. Rows of the result begin at multiples of 16 bytes.
void grouped_product(ShapeCall& call) {
    const KnownTensor& left = call.tensor(0, "self");
    const KnownTensor& right = call.tensor(1, "mat2");
    const KnownTensor* ends = call.optional_tensor(2, "offs");
    const Dtype dtype = call.dtype_or(4, "out_dtype", left.dtype);
    Sizes shape;
    if (left.rank() == 2 && right.rank() == 3) {
        shape = {left.shape[0], right.shape[2]};
    } else if (left.rank() == 2 && right.rank() == 2 && ends && ends->rank() == 1) {
        shape = {ends->shape[0], left.shape[0], right.shape[1]};
    } else if (left.rank() == 3 && right.rank() == 2) {
        shape = {left.shape[1], right.shape[1]};
    } else if (left.rank() == 3 && right.rank() == 3) {
        shape = {left.shape[0], left.shape[1], right.shape[2]};
    } else {
        throw UnknownShape{"the shapes of its matrices do not fit"};
    }
    const std::int64_t alignment = 16 / dtype_info(dtype).bytes;
    const std::int64_t row = (shape.back() + alignment - 1) / alignment * alignment;
    Sizes stride{row, 1};
    if (shape.size() == 3) stride.insert(stride.begin(), shape[1] * row);
    call.returns(call.fresh(dtype, std::move(shape), left.device, std::move(stride)));
}

constexpr std::array matrices = std::to_array<NamedShapeRule>({
    {"aten._grouped_mm", grouped_product},
    {"aten.addmm", added_product},
    {"aten.baddbmm", added_batched_product},
    {"aten.bmm.default", batched_product},
    {"aten.dot", inner_product},
    {"aten.mm.default", matrix_product},
    {"aten.mv", matrix_vector_product},
});

}  // namespace

std::span<const NamedShapeRule> matrix_rules() {
    return matrices;
}

}  // namespace overlap
