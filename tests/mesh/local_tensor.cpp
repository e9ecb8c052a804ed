#include "tests/mesh/local_tensor.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace overlap::test {

namespace {

/// A tensor as blocks: `outer` times `size` along the dimension times `inner` values that lie together.
struct Blocks {
    std::int64_t outer = 1, size = 1, inner = 1;
};

Blocks blocks_of(const Extents& shape, int dim) {
    Blocks blocks;
    for (int at = 0; at < static_cast<int>(shape.size()); ++at) {
        const std::int64_t size = shape[static_cast<std::size_t>(at)];
        (at < dim ? blocks.outer : at == dim ? blocks.size : blocks.inner) *= size;
    }
    return blocks;
}

LocalTensor zeros_like(const LocalTensor& tensor, int dim, std::int64_t size) {
    LocalTensor result{tensor.shape, {}};
    result.shape[static_cast<std::size_t>(dim)] = size;
    result.values.assign(static_cast<std::size_t>(element_count(result.shape)), 0);
    return result;
}

/// Copies `range` along `dim` of `from` to `offset` of `to`.
void copy_range(const LocalTensor& from, IndexRange range, LocalTensor& to, std::int64_t offset, int dim) {
    const Blocks source = blocks_of(from.shape, dim), target = blocks_of(to.shape, dim);
    for (std::int64_t outer = 0; outer < source.outer; ++outer) {
        const auto begin = from.values.begin() + (outer * source.size + range.begin) * source.inner;
        std::copy(begin, begin + range.size() * source.inner,
                  to.values.begin() + (outer * target.size + offset) * target.inner);
    }
}

std::int64_t combine(std::int64_t left, std::int64_t right, ReduceOp reduce_op) {
    switch (reduce_op) {
        case ReduceOp::sum:
        case ReduceOp::avg:
            return left + right;
        case ReduceOp::min:
            return std::min(left, right);
        case ReduceOp::max:
            return std::max(left, right);
        case ReduceOp::product:
            return left * right;
        case ReduceOp::band:
            return left & right;
        case ReduceOp::bor:
            return left | right;
        case ReduceOp::bxor:
            return left ^ right;
    }
    throw std::runtime_error("an operation without a meaning");
}

}  // namespace

std::int64_t element_count(const Extents& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

LocalTensor take(const LocalTensor& tensor, int dim, const DimensionPart& part) {
    LocalTensor result = zeros_like(tensor, dim, size_of(part));
    std::int64_t offset = 0;
    for (const IndexRange& range : part) {
        copy_range(tensor, range, result, offset, dim);
        offset += range.size();
    }
    return result;
}

LocalTensor concatenate(std::span<const LocalTensor* const> tensors, int dim) {
    const auto at = static_cast<std::size_t>(dim);
    std::int64_t size = 0;
    for (const LocalTensor* tensor : tensors) {
        Extents shape = tensor->shape;
        shape[at] = tensors.front()->shape[at];
        if (shape != tensors.front()->shape) throw std::runtime_error("shards that are joined differ in other sizes");
        size += tensor->shape[at];
    }
    LocalTensor result = zeros_like(*tensors.front(), dim, size);
    std::int64_t offset = 0;
    for (const LocalTensor* tensor : tensors) {
        copy_range(*tensor, {0, tensor->shape[at]}, result, offset, dim);
        offset += tensor->shape[at];
    }
    return result;
}

LocalTensor embed_in_zeros(const LocalTensor& tensor, int dim, std::int64_t offset, std::int64_t size) {
    LocalTensor result = zeros_like(tensor, dim, size);
    copy_range(tensor, {0, tensor.shape[static_cast<std::size_t>(dim)]}, result, offset, dim);
    return result;
}

LocalTensor reduce(std::span<const LocalTensor* const> tensors, ReduceOp reduce_op) {
    LocalTensor result = *tensors.front();
    for (const LocalTensor* tensor : tensors.subspan(1)) {
        if (tensor->shape != result.shape) throw std::runtime_error("tensors that are reduced differ in shape");
        for (std::size_t at = 0; at < result.values.size(); ++at)
            result.values[at] = combine(result.values[at], tensor->values[at], reduce_op);
    }
    return reduce_op == ReduceOp::avg ? divide(std::move(result), static_cast<std::int64_t>(tensors.size())) : result;
}

LocalTensor divide(LocalTensor tensor, std::int64_t divisor) {
    for (std::int64_t& value : tensor.values) {
        if (value % divisor != 0) throw std::runtime_error("a share of a value is no whole number");
        value /= divisor;
    }
    return tensor;
}

}  // namespace overlap::test
