#pragma once

#include <vector>

#include "core/mesh/sharding_state.h"

namespace overlap {

/// Half-open range of indices of one tensor dimension.
struct IndexRange {
    std::int64_t begin = 0, end = 0;

    std::int64_t size() const { return end - begin; }
    bool operator==(const IndexRange&) const = default;
};

/// What of one tensor dimension a rank holds: ranges in the order in which they lie in its local tensor. One range,
/// which may be empty, unless a strided shard cuts the dimension.
using DimensionPart = std::vector<IndexRange>;

std::int64_t size_of(const DimensionPart& part);

/// torch's chunk rule: part `index` of `range` cut into `count` parts of ceil(size / count), the last ones shorter or
/// empty.
IndexRange chunk_of(IndexRange range, std::int64_t count, std::int64_t index);

/// What the rank at `coordinate` holds, one entry for each tensor dimension. Partial and replicated mesh dimensions do
/// not matter. Mesh dimensions cut in the state's order.
std::vector<DimensionPart> local_parts(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                                       const Extents& coordinate);

/// Sizes of the local tensor of the rank at `coordinate`.
Extents local_shape(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                    const Extents& coordinate);

/// The shape as it is before `mesh_dim` cuts it: reduced by every other mesh dimension that cuts, in the state's order
/// (DTensorRedistributePlanner.get_logical_shape). Depends on the rank where sizes do not divide.
Extents logical_shape(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape, int mesh_dim,
                      const Extents& coordinate);

/// The same before any of several mesh dimensions cuts it.
/// @param mesh_dims bit set.
Extents shape_without(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                      unsigned mesh_dims, const Extents& coordinate);

}  // namespace overlap
