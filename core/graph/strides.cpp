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

}  // namespace overlap
