#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlap {

/// Strides, in elements, of a contiguous tensor with these sizes; a size of 0 counts as 1, as in torch.
std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> sizes);

}  // namespace overlap
