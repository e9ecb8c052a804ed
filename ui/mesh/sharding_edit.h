#pragma once

#include <vector>

#include "core/mesh/sharding_state.h"

namespace overlap::ui {

/// A row of mesh dimensions that do the same to a tensor: cut one of its dimensions, replicate it, or hold parts of its
/// value.
struct ShardingRow {
    PlacementKind kind = PlacementKind::replicate;  ///< shard, replicate or partial
    int tensor_dim = 0;                             ///< of a shard
    std::vector<int> mesh_dims;                     ///< of a shard outermost first, else ascending
};

/// Every row that a state can have: tensor dimensions, replicated, partial; rows may be empty.
std::vector<ShardingRow> shardingRows(const ShardingState& state, int tensor_dims);

/// The state after `mesh_dim` went to place `place` of row `row` of `shardingRows`; places of its own row count without
/// it. A strided shard that is moved becomes an ordinary one. What becomes partial is so by `reduce_op`.
ShardingState movedTo(const ShardingState& state, int tensor_dims, int mesh_dim, std::size_t row, std::size_t place,
                      ReduceOp reduce_op);

/// The state with every partial mesh dimension reduced by `reduce_op`.
ShardingState reducedBy(const ShardingState& state, ReduceOp reduce_op);

/// The operation of the first partial mesh dimension, sum where there is none.
ReduceOp reduceOpOf(const ShardingState& state);

}  // namespace overlap::ui
