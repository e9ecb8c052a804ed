#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace overlap {

/// Strides, in elements, of a contiguous tensor with these sizes; a size of 0 counts as 1, as in torch.
std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> sizes);
/// torch's `is_contiguous`: dimensions of size 1 do not count, and a tensor without elements is.
bool is_contiguous(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
/// More elements than any memory holds, and few enough that their bytes and products of a size and a stride stay in 64
/// bits. Tensors with more are refused.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 56;
/// Elements from a tensor's first one in memory to its last one, both counted; 0 for a tensor without elements. Nothing
/// beyond `most_elements`.
std::optional<std::int64_t> memory_reach(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
/// Whether the elements fill their memory without a hole and without sharing it, in some order of the dimensions
/// (torch's `is_non_overlapping_and_dense`).
bool is_dense(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
/// Strides of a new tensor whose dimensions are in the memory order of `operands`, each a list of strides for all
/// dimensions, 0 where it is broadcast (TensorIteratorBase::reorder_dimensions).
std::vector<std::int64_t> strides_in_order_of(std::span<const std::int64_t> sizes,
                                              std::span<const std::vector<std::int64_t>> operands);
/// Strides that `empty_like` and copies to another device give: those of a dense tensor as they are, else dense ones in
/// the same order.
std::vector<std::int64_t> preserved_strides(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
/// Strides under which a tensor can be seen with other sizes without a copy, as torch's `computeStride` finds them;
/// nothing where that is impossible. Both shapes have the same number of elements.
/// @pre the tensor has a memory_reach().
std::optional<std::vector<std::int64_t>> view_strides(std::span<const std::int64_t> old_sizes,
                                                      std::span<const std::int64_t> old_strides,
                                                      std::span<const std::int64_t> new_sizes);

}  // namespace overlap
