#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/strides.h"
#include "core/graph/string_pool.h"
#include "core/graph/tensor.h"

namespace overlap {

using Sizes = std::vector<std::int64_t>;

/// A tensor of which everything is known. Sizes, strides and offset are in elements.
struct KnownTensor {
    Dtype dtype{};
    Sizes shape, stride;
    std::int64_t offset = 0;
    StringId device = empty_string;
    std::uint32_t storage = 0;
    std::int64_t storage_bytes = 0;

    std::size_t rank() const { return shape.size(); }
    bool is_contiguous() const;
    /// Its elements fill their memory without a hole and without sharing it, in some order of the dimensions.
    bool is_dense() const;
    /// torch `suggest_memory_format` says channels_last.
    bool is_channels_last() const;
};

/// Product of sizes. @throws InputError beyond 2^56.
std::int64_t element_count(std::span<const std::int64_t> shape);
/// Bytes of a storage that holds exactly this tensor.
std::int64_t dense_bytes(Dtype dtype, std::span<const std::int64_t> shape, std::span<const std::int64_t> stride);

/// Strides that `empty_like` gives: those of a dense tensor as they are, else dense ones in the same order.
Sizes preserved_strides(const KnownTensor& tensor);
/// Strides with which a tensor shows as `shape` without moving; nothing where it cannot, or has another element count.
std::optional<Sizes> view_strides(const KnownTensor& tensor, std::span<const std::int64_t> shape);
/// Sizes of several shapes together (infer_size); nothing where they do not fit.
std::optional<Sizes> broadcast(std::span<const Sizes> shapes);

/// Kinds of dtype, in torch's order of promotion.
enum class DtypeCategory : std::uint8_t { boolean, integral, floating, complex };
DtypeCategory dtype_category(Dtype dtype);
/// torch.promote_types; nothing for types that torch does not promote.
std::optional<Dtype> promote_dtypes(Dtype left, Dtype right);

}  // namespace overlap
