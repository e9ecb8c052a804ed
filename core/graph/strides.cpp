#include "core/graph/strides.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace overlap {

namespace {

/// Whether dimension `left` comes behind `right` in memory (1), before it (-1), or is undecided (0).
int memory_order(std::span<const std::int64_t> sizes, std::span<const std::vector<std::int64_t>> operands,
                 std::size_t left, std::size_t right) {
    for (const std::vector<std::int64_t>& stride : operands) {
        if (stride[left] == 0 || stride[right] == 0) continue;
        if (stride[left] != stride[right]) return stride[left] < stride[right] ? -1 : 1;
        if (sizes[left] > sizes[right]) return 1;
    }
    return 0;
}

/// torch's insertion sort, fastest dimension first. Comparisons are no order, so the algorithm is part of the result.
std::vector<std::size_t> memory_permutation(std::span<const std::int64_t> sizes,
                                            std::span<const std::vector<std::int64_t>> operands) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    for (std::size_t next = 1; next < order.size(); ++next) {
        std::size_t moved = next;
        for (std::size_t other = next; other-- > 0;) {
            const int comparison = memory_order(sizes, operands, order[other], order[moved]);
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

}  // namespace

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> sizes) {
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
        strides[dimension] = stride;
        stride *= std::max<std::int64_t>(sizes[dimension], 1);
    }
    return strides;
}

bool is_contiguous(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    if (std::ranges::find(sizes, 0) != sizes.end()) return true;
    std::int64_t expected = 1;
    for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
        if (sizes[dimension] == 1) continue;
        if (strides[dimension] != expected) return false;
        expected *= sizes[dimension];
    }
    return true;
}

std::optional<std::int64_t> memory_reach(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
    std::int64_t last = 0, step = 0;
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        if (__builtin_mul_overflow(sizes[dimension] - 1, strides[dimension], &step) ||
            __builtin_add_overflow(last, step, &last) || last >= most_elements) {
            return std::nullopt;
        }
    }
    return last + 1;
}

std::optional<std::vector<std::int64_t>> view_strides(std::span<const std::int64_t> old_sizes,
                                                      std::span<const std::int64_t> old_strides,
                                                      std::span<const std::int64_t> new_sizes) {
    if (old_sizes.empty()) return contiguous_strides(new_sizes);
    if (std::ranges::find(old_sizes, 0) != old_sizes.end()) {
        if (!std::ranges::equal(old_sizes, new_sizes)) return contiguous_strides(new_sizes);
        return std::vector(old_strides.begin(), old_strides.end());
    }
    std::vector<std::int64_t> strides(new_sizes.size());
    std::size_t left = new_sizes.size();  // new dimensions without a stride yet
    std::int64_t chunk_stride = old_strides.back();
    std::int64_t chunk_elements = 1, given = 1;
    for (std::size_t dimension = old_sizes.size(); dimension-- > 0;) {
        chunk_elements *= old_sizes[dimension];
        const bool ends_chunk = dimension == 0 || (old_sizes[dimension - 1] != 1 &&
                                                   old_strides[dimension - 1] != chunk_elements * chunk_stride);
        if (!ends_chunk) continue;
        while (left > 0 && (given < chunk_elements || new_sizes[left - 1] == 1)) {
            strides[left - 1] = given * chunk_stride;
            given *= new_sizes[--left];
        }
        if (given != chunk_elements) return std::nullopt;
        if (dimension > 0) {
            chunk_stride = old_strides[dimension - 1];
            chunk_elements = given = 1;
        }
    }
    return left == 0 ? std::optional(strides) : std::nullopt;
}

bool is_dense(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    if (is_contiguous(sizes, strides)) return true;
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        if (sizes[left] < 2 || sizes[right] < 2) return sizes[right] < 2 && sizes[left] >= 2;
        return strides[left] < strides[right];
    });
    std::int64_t next = 1;
    for (const std::size_t dimension : order) {
        if (sizes[dimension] < 2) break;
        if (strides[dimension] != next) return false;
        next *= sizes[dimension];
    }
    return true;
}

std::vector<std::int64_t> strides_in_order_of(std::span<const std::int64_t> sizes,
                                              std::span<const std::vector<std::int64_t>> operands) {
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t next = 1;
    for (const std::size_t dimension : memory_permutation(sizes, operands)) {
        strides[dimension] = next;
        next *= std::max<std::int64_t>(sizes[dimension], 1);
    }
    return strides;
}

std::vector<std::int64_t> preserved_strides(std::span<const std::int64_t> sizes,
                                            std::span<const std::int64_t> strides) {
    const std::vector<std::int64_t> given(strides.begin(), strides.end());
    return is_dense(sizes, strides) ? given : strides_in_order_of(sizes, std::span(&given, 1));
}

}  // namespace overlap
