#include "core/graph/strides.h"

#include <algorithm>

namespace overlap {

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

}  // namespace overlap
