#include "ui/mesh/sharding_edit.h"

#include <algorithm>

namespace overlap::ui {

std::vector<ShardingRow> shardingRows(const ShardingState& state, int tensor_dims) {
    std::vector<ShardingRow> rows;
    for (int dim = 0; dim < tensor_dims; ++dim)
        rows.push_back({PlacementKind::shard, dim, mesh_dims_of(state.shard_order, dim)});
    ShardingRow replicated{PlacementKind::replicate, 0, {}};
    ShardingRow partial{PlacementKind::partial, 0, {}};
    for (std::size_t mesh_dim = 0; mesh_dim < state.placements.size(); ++mesh_dim) {
        const Placement& placement = state.placements[mesh_dim];
        if (placement.is_replicate()) replicated.mesh_dims.push_back(static_cast<int>(mesh_dim));
        if (placement.is_partial()) partial.mesh_dims.push_back(static_cast<int>(mesh_dim));
    }
    rows.push_back(std::move(replicated));
    rows.push_back(std::move(partial));
    return rows;
}

ShardingState movedTo(const ShardingState& state, int tensor_dims, int mesh_dim, std::size_t row, std::size_t place,
                      ReduceOp reduce_op) {
    std::vector<ShardingRow> rows = shardingRows(state, tensor_dims);
    for (ShardingRow& from : rows) std::erase(from.mesh_dims, mesh_dim);
    ShardingRow& to = rows[row];
    to.mesh_dims.insert(to.mesh_dims.begin() + static_cast<std::ptrdiff_t>(std::min(place, to.mesh_dims.size())),
                        mesh_dim);

    ShardingState moved;
    moved.placements = state.placements;
    Placement& placement = moved.placements[static_cast<std::size_t>(mesh_dim)];
    if (to.kind == PlacementKind::shard) placement = Placement::shard(to.tensor_dim);
    if (to.kind == PlacementKind::replicate) placement = Placement::replicate();
    if (to.kind == PlacementKind::partial && !placement.is_partial()) placement = Placement::partial(reduce_op);
    for (ShardingRow& cut : rows)
        if (cut.kind == PlacementKind::shard && !cut.mesh_dims.empty())
            moved.shard_order.push_back({cut.tensor_dim, std::move(cut.mesh_dims)});
    return moved;
}

ShardingState reducedBy(const ShardingState& state, ReduceOp reduce_op) {
    ShardingState reduced = state;
    for (Placement& placement : reduced.placements)
        if (placement.is_partial()) placement = Placement::partial(reduce_op);
    return reduced;
}

ReduceOp reduceOpOf(const ShardingState& state) {
    const auto partial = std::ranges::find_if(state.placements, &Placement::is_partial);
    return partial == state.placements.end() ? ReduceOp::sum : partial->reduce_op;
}

}  // namespace overlap::ui
