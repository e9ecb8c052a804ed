#pragma once

#include <cstdint>
#include <span>

#include "core/graph/tensor.h"

namespace overlap {

/// Tensors of one graph have this many bytes together at most: far beyond any job, and sums of them stay in 64 bits.
inline constexpr std::int64_t total_bytes_limit = std::int64_t{1} << 56;

/// What `tensor`, of these sizes, counts towards that limit: its own bytes or its storage's, whichever are more. More
/// than the limit where its sizes other than 0 make more, so that their product stays in 64 bits in any order.
std::int64_t counted_bytes(const TensorMeta& tensor, std::span<const std::int64_t> sizes);

}  // namespace overlap
