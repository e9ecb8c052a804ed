#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/batch/dimension_classes.h"

namespace overlap {

/// From one batch to another.
struct BatchChange {
    std::int64_t from = 0, to = 0;  ///< sequences a rank, both at least 1

    /// A size, or a number of bytes, that holds the batch as a factor; nothing where it does not.
    std::optional<std::int64_t> scaled(std::int64_t count) const;
};

/// Sizes, strides and first element of a tensor of the changed graph.
struct ScaledTensor {
    std::vector<std::int64_t> sizes, strides;
    std::int64_t storage_offset = 0;
    bool grows = false;          ///< a dimension does
    bool storage_grows = false;  ///< a dimension does whose elements have memory of their own
};

/// The tensor in a graph of the other batch. Elements keep their order in memory: what lies outside of a dimension that
/// grows moves away with it.
/// @returns nothing where that is not known: two dimensions grow, a size does not hold the batch or would be 1, or
/// dimensions overlap.
std::optional<ScaledTensor> scaled_tensor(const DimensionClasses& classes, NodeId node, std::size_t output,
                                          const BatchChange& change);

}  // namespace overlap
