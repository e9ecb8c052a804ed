#include <algorithm>

#include "core/base/error.h"
#include "core/mesh/planners/state_space.h"

namespace overlap {

StateCode::StateCode(int mesh_dims, int tensor_dims, std::vector<Placement> strided_shards)
    : mesh_dims_(mesh_dims), tensor_dims_(tensor_dims), strided_shards_(std::move(strided_shards)) {}

int StateCode::tensor_dim_of(unsigned placement) const {
    if (placement < first_shard_code) return -1;
    if (placement < first_strided_code) return static_cast<int>(placement - first_shard_code);
    return strided_shards_[placement - first_strided_code].tensor_dim;
}

Placement StateCode::placement(unsigned code) const {
    if (code == replicate_code) return Placement::replicate();
    if (code < first_shard_code) return Placement::partial(static_cast<ReduceOp>(code - first_partial_code));
    if (code < first_strided_code) return Placement::shard(static_cast<int>(code - first_shard_code));
    return strided_shards_[code - first_strided_code];
}

unsigned StateCode::code(const Placement& placement) const {
    switch (placement.kind) {
        case PlacementKind::replicate:
            return replicate_code;
        case PlacementKind::partial:
            return first_partial_code + static_cast<unsigned>(placement.reduce_op);
        case PlacementKind::shard:
            return first_shard_code + static_cast<unsigned>(placement.tensor_dim);
        case PlacementKind::strided_shard:
            break;
    }
    const auto found = std::find(strided_shards_.begin(), strided_shards_.end(), placement);
    return first_strided_code + static_cast<unsigned>(found - strided_shards_.begin());
}

PackedState StateCode::pack(const ShardingState& state) const {
    PackedState packed = 0;
    for (int mesh_dim = 0; mesh_dim < mesh_dims_; ++mesh_dim)
        packed = with(packed, mesh_dim, code(state.placements[static_cast<std::size_t>(mesh_dim)]));
    for (const ShardOrderEntry& entry : state.shard_order)
        for (std::size_t place = 0; place < entry.mesh_dims.size(); ++place) {
            const int mesh_dim = entry.mesh_dims[place];
            packed = with(packed, mesh_dim, placement_of(packed, mesh_dim), static_cast<unsigned>(place));
        }
    return packed;
}

ShardingState StateCode::unpack(PackedState state) const {
    ShardingState result;
    result.placements.reserve(static_cast<std::size_t>(mesh_dims_));
    for (int mesh_dim = 0; mesh_dim < mesh_dims_; ++mesh_dim)
        result.placements.push_back(placement(placement_of(state, mesh_dim)));
    for (int tensor_dim = 0; tensor_dim < tensor_dims_; ++tensor_dim) {
        std::array<int, DeviceMesh::dims_limit> by_place{};
        std::size_t count = 0;
        for (int mesh_dim = 0; mesh_dim < mesh_dims_; ++mesh_dim)
            if (tensor_dim_of(placement_of(state, mesh_dim)) == tensor_dim) {
                by_place[place_of(state, mesh_dim)] = mesh_dim;
                ++count;
            }
        if (count > 0)
            result.shard_order.push_back(
                {tensor_dim, {by_place.begin(), by_place.begin() + static_cast<std::ptrdiff_t>(count)}});
    }
    return result;
}

}  // namespace overlap
