#include "core/mesh/planners/strided_order.h"

#include <map>

#include "core/base/error.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

/// Inserts `mesh_dim` into `order` where the mesh dimensions before it have `split_factor` ranks together.
bool insert_by_factor(std::vector<int>& order, int mesh_dim, std::int64_t split_factor, const DeviceMesh& mesh) {
    std::int64_t ranks_before = 1;
    for (std::size_t place = 0; place <= order.size(); ++place) {
        if (ranks_before == split_factor) {
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), mesh_dim);
            return true;
        }
        if (place < order.size()) ranks_before *= mesh.shape[static_cast<std::size_t>(order[place])];
    }
    return false;
}

}  // namespace

std::vector<Placement> strided_placements(const ShardingState& state, const DeviceMesh& mesh) {
    if (has_strided_shard(state.placements))
        throw InputError("state \"" + to_text(state) + "\"",
                         "an order is written into plain shards only, this state has strided shards already");
    std::vector<Placement> placements = state.placements;
    for (const ShardOrderEntry& entry : state.shard_order)
        for (std::size_t place = 0; place < entry.mesh_dims.size(); ++place) {
            std::int64_t split_factor = 1;
            for (std::size_t before = 0; before < place; ++before)
                if (entry.mesh_dims[before] > entry.mesh_dims[place])
                    split_factor *= mesh.shape[static_cast<std::size_t>(entry.mesh_dims[before])];
            if (split_factor > 1)
                placements[static_cast<std::size_t>(entry.mesh_dims[place])] =
                    Placement::strided_shard(entry.tensor_dim, split_factor);
        }
    return placements;
}

std::optional<ShardingState> decode_strided_placements(const std::vector<Placement>& placements,
                                                       const DeviceMesh& mesh) {
    if (!has_strided_shard(placements)) return state_in_default_order(placements);
    ShardingState state{placements, {}};
    std::map<int, std::vector<int>> orders;
    for (std::size_t mesh_dim = placements.size(); mesh_dim-- > 0;) {
        const Placement& placement = placements[mesh_dim];
        if (!placement.cuts()) continue;
        if (!insert_by_factor(orders[placement.tensor_dim], static_cast<int>(mesh_dim), placement.split_factor, mesh))
            return std::nullopt;
        state.placements[mesh_dim] = Placement::shard(placement.tensor_dim);
    }
    for (auto& [tensor_dim, mesh_dims] : orders) state.shard_order.push_back({tensor_dim, std::move(mesh_dims)});
    return state;
}

}  // namespace overlap
