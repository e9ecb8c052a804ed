#include "core/imports/operators/known_tensor.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "core/base/error.h"

namespace overlap {
namespace {

/// Whether dimension `left` comes behind `right` in memory (1), before it (-1), or is undecided (0).
int memory_order(std::span<const std::int64_t> shape, std::span<const Sizes> operands, std::size_t left,
                 std::size_t right) {
    for (const Sizes& stride : operands) {
        if (stride[left] == 0 || stride[right] == 0) continue;
        if (stride[left] != stride[right]) return stride[left] < stride[right] ? -1 : 1;
        if (shape[left] > shape[right]) return 1;
    }
    return 0;
}

/// torch's insertion sort, fastest dimension first. Comparisons are no order, so the algorithm is part of the result.
std::vector<std::size_t> memory_permutation(std::span<const std::int64_t> shape, std::span<const Sizes> operands) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    for (std::size_t next = 1; next < order.size(); ++next) {
        std::size_t moved = next;
        for (std::size_t other = next; other-- > 0;) {
            const int comparison = memory_order(shape, operands, order[other], order[moved]);
            if (comparison > 0) {
                std::swap(order[other], order[moved]);
                moved = other;
            } else if (comparison < 0) {
                break;
            }
        }
    }
    return order;
}

constexpr std::array<std::string_view, 5> integers = {"uint8", "int8", "int16", "int32", "int64"};

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > most_elements) {
            throw InputError("", "a tensor has more than 2^56 elements or a negative size");
        }
    }
    return count;
}

std::int64_t dense_bytes(Dtype dtype, std::span<const std::int64_t> shape, std::span<const std::int64_t> stride) {
    const std::optional<std::int64_t> elements = memory_reach(shape, stride);
    if (!elements) throw InputError("", "a tensor reaches further than 2^56 elements");
    return *elements * dtype_info(dtype).bytes;
}

bool KnownTensor::is_contiguous() const {
    return overlap::is_contiguous(shape, stride);
}

bool KnownTensor::is_dense() const {
    if (is_contiguous()) return true;
    std::vector<std::size_t> order(rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        if (shape[left] < 2 || shape[right] < 2) return shape[right] < 2 && shape[left] >= 2;
        return stride[left] < stride[right];
    });
    std::int64_t next = 1;
    for (const std::size_t dimension : order) {
        if (shape[dimension] < 2) break;
        if (stride[dimension] != next) return false;
        next *= shape[dimension];
    }
    return true;
}

bool KnownTensor::is_channels_last() const {
    if (rank() != 4 && rank() != 5) return false;
    if (stride[1] == 0) return false;
    std::vector<std::size_t> order{1};
    for (std::size_t dimension = rank() - 1; dimension > 1; --dimension) order.push_back(dimension);
    order.push_back(0);
    std::int64_t least = 0;
    for (const std::size_t dimension : order) {
        if (shape[dimension] == 0 || stride[dimension] < least) return false;
        if (dimension == 0 && least == stride[1]) return false;
        least = stride[dimension];
        if (shape[dimension] > 1) least *= shape[dimension];
    }
    return true;
}

Sizes strides_in_order_of(std::span<const std::int64_t> shape, std::span<const Sizes> operands) {
    Sizes strides(shape.size());
    std::int64_t next = 1;
    for (const std::size_t dimension : memory_permutation(shape, operands)) {
        strides[dimension] = next;
        next *= std::max<std::int64_t>(shape[dimension], 1);
    }
    return strides;
}

Sizes preserved_strides(const KnownTensor& tensor) {
    if (tensor.is_dense()) return tensor.stride;
    return strides_in_order_of(tensor.shape, std::span(&tensor.stride, 1));
}

std::optional<Sizes> view_strides(const KnownTensor& tensor, std::span<const std::int64_t> shape) {
    if (element_count(shape) != element_count(tensor.shape)) return std::nullopt;
    return view_strides(tensor.shape, tensor.stride, shape);
}

std::optional<Sizes> broadcast(std::span<const Sizes> shapes) {
    std::size_t rank = 0;
    for (const Sizes& shape : shapes) rank = std::max(rank, shape.size());
    Sizes result(rank, 1);
    for (const Sizes& shape : shapes) {
        for (std::size_t index = 0; index < shape.size(); ++index) {
            std::int64_t& size = result[rank - shape.size() + index];
            if (size == 1) {
                size = shape[index];
            } else if (shape[index] != 1 && shape[index] != size) {
                return std::nullopt;
            }
        }
    }
    return result;
}

DtypeCategory dtype_category(Dtype dtype) {
    const std::string_view name = dtype_info(dtype).name;
    if (name == "bool") return DtypeCategory::boolean;
    if (name.starts_with("complex") || name.starts_with("bcomplex")) return DtypeCategory::complex;
    if (name.starts_with("float") || name.starts_with("bfloat")) return DtypeCategory::floating;
    return DtypeCategory::integral;
}

std::optional<Dtype> promote_dtypes(Dtype left, Dtype right) {
    if (left == right) return left;
    const DtypeCategory left_category = dtype_category(left);
    const DtypeCategory right_category = dtype_category(right);
    const std::string_view left_name = dtype_info(left).name;
    const std::string_view right_name = dtype_info(right).name;
    if (left_name.starts_with("float8") || right_name.starts_with("float8") || left_name.starts_with("float4") ||
        right_name.starts_with("float4") || left_name == "complex32" || right_name == "complex32")
        return std::nullopt;
    if (left_category != right_category) {
        const bool left_wins = left_category > right_category;
        const Dtype winner = left_wins ? left : right;
        const bool mixes_sizes = (left_wins ? left_category : right_category) == DtypeCategory::complex &&
                                 (left_wins ? right_category : left_category) == DtypeCategory::floating;
        if (mixes_sizes && (left_wins ? right_name : left_name) == "float64") return dtype_by_name("complex128");
        return winner;
    }
    if (left_category == DtypeCategory::integral) {
        const auto left_place = std::ranges::find(integers, left_name);
        const auto right_place = std::ranges::find(integers, right_name);
        if (left_place == integers.end() || right_place == integers.end()) return std::nullopt;
        const auto places = (left_place - integers.begin()) + (right_place - integers.begin());
        if (places == 1) return dtype_by_name("int16");  // uint8 and int8
        return left_place > right_place ? left : right;
    }
    const int left_bytes = dtype_info(left).bytes;
    const int right_bytes = dtype_info(right).bytes;
    if (left_bytes == right_bytes) return dtype_by_name("float32");  // bfloat16 and float16
    return left_bytes > right_bytes ? left : right;
}

}  // namespace overlap
