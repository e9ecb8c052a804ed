#pragma once

#include <optional>

#include "core/mesh/sharding_state.h"

namespace overlap {

/// An order written into the placements as strided shards, as physical parameters are stored
/// (DTensorSpec._convert_shard_order_to_StridedShard): a mesh dimension that cuts after later ones becomes `_S(dim, f)`
/// with f the product of their sizes, f = 1 stays `S(dim)`.
/// @throws InputError when the state already has strided shards.
std::vector<Placement> strided_placements(const ShardingState& state, const DeviceMesh& mesh);

/// The inverse: plain placements with the order that strided shards encode; nothing when they encode none. Where mesh
/// dimensions of size 1 make it ambiguous the outermost possible place wins, as in torch.
/// (DTensorSpec._maybe_convert_StridedShard_to_shard_order)
std::optional<ShardingState> decode_strided_placements(const std::vector<Placement>& placements,
                                                       const DeviceMesh& mesh);

}  // namespace overlap
