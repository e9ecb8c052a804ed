#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mesh/shard_layout.h"

namespace overlap::test {

/// What one rank holds: whole numbers, row-major. Sizes may be 0.
struct LocalTensor {
    Extents shape;
    std::vector<std::int64_t> values;

    bool operator==(const LocalTensor&) const = default;
};

std::int64_t element_count(const Extents& shape);

/// The indices of `part` along `dim`, in its order.
LocalTensor take(const LocalTensor& tensor, int dim, const DimensionPart& part);

/// Tensors one after the other along `dim`; they agree in all other sizes.
/// @throws std::runtime_error when they do not.
LocalTensor concatenate(std::span<const LocalTensor* const> tensors, int dim);

/// `tensor` at `offset` along `dim` of zeros, `size` long in that dimension.
LocalTensor embed_in_zeros(const LocalTensor& tensor, int dim, std::int64_t offset, std::int64_t size);

/// Elementwise over tensors of one shape. An average is exact or an error.
/// @throws std::runtime_error when shapes differ, or when an average is no whole number.
LocalTensor reduce(std::span<const LocalTensor* const> tensors, ReduceOp reduce_op);

/// Every value over `divisor`. @throws std::runtime_error when one is no whole number.
LocalTensor divide(LocalTensor tensor, std::int64_t divisor);

}  // namespace overlap::test
