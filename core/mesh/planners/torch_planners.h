#pragma once

#include "core/mesh/planners/graph_planner.h"

namespace overlap {

/// torch's greedy planner: mesh dimensions from the innermost outwards, nested cuts replicated first
/// (DTensorRedistributePlanner.generate_greedy_transform_infos). Knows default orders only. Steps are priced with
/// `times`; when one cannot be executed the plan has no costs.
RedistributionPlan greedy_plan(const ShardingState& source, const ShardingState& target, const DeviceMesh& mesh,
                               const MeshTensor& tensor, const CollectiveTimes& times, std::int64_t rank = 0);

/// torch merges runs of like collectives into one on a flattened mesh (_optimize_transform_infos), here with all
/// flattened meshes available. Returns the plan as it would run; merged steps have no cost.
RedistributionPlan flatten_consecutive_steps(const RedistributionPlan& plan, const DeviceMesh& mesh);

/// What strided shards in a placement mean.
enum class StridedShards : std::uint8_t {
    are_placements,  ///< themselves
    encode_order,    ///< plain shards in the order that they encode, torch's default; greedy where they encode none
};

/// torch's default choice of planner (_gen_transform_infos_non_cached): the graph planner for an order that is not the
/// default one or a strided shard on either side, else greedy. Before flattening. An undecodable strided shard that
/// should encode an order leads to greedy as well.
RedistributionPlan default_plan(const ShardingState& source, const ShardingState& target, const DeviceMesh& mesh,
                                const MeshTensor& tensor, GraphPlanner& graph_planner, const CollectiveTimes& times,
                                StridedShards strided_shards = StridedShards::are_placements);

/// What sharding strategies are compared by (torch.distributed.tensor._collective_utils.redistribute_cost), in
/// microseconds, for the steps of default_plan: bytes grow and shrink along the way. +infinity for a shard that becomes
/// partial.
double strategy_cost(const RedistributionPlan& plan, const ShardingState& source, const DeviceMesh& mesh,
                     const MeshTensor& tensor);

}  // namespace overlap
