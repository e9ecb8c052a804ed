#include "core/imports/operators/known_tensor.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"

namespace overlap {
namespace {

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
    return overlap::is_dense(shape, stride);
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

Sizes preserved_strides(const KnownTensor& tensor) {
    return preserved_strides(tensor.shape, tensor.stride);
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
