#include <algorithm>
#include <limits>

#include "core/base/byte_units.h"
#include "core/mesh/planners/strided_order.h"
#include "core/mesh/planners/torch_planners.h"

namespace overlap {

RedistributionPlan default_plan(const ShardingState& source, const ShardingState& target, const DeviceMesh& mesh,
                                const MeshTensor& tensor, GraphPlanner& graph_planner, const CollectiveTimes& times,
                                StridedShards strided_shards) {
    const bool any_strided = has_strided_shard(source.placements) || has_strided_shard(target.placements);
    if (any_strided && strided_shards == StridedShards::encode_order) {
        const std::optional<ShardingState> from = decode_strided_placements(source.placements, mesh);
        const std::optional<ShardingState> to = decode_strided_placements(target.placements, mesh);
        if (!from || !to) return greedy_plan(source, target, mesh, tensor, times);
        return graph_planner.plan(has_strided_shard(source.placements) ? *from : source,
                                  has_strided_shard(target.placements) ? *to : target);
    }
    if (any_strided || !is_default_order(source) || !is_default_order(target))
        return graph_planner.plan(source, target);
    return greedy_plan(source, target, mesh, tensor, times);
}

double strategy_cost(const RedistributionPlan& plan, const ShardingState& source, const DeviceMesh& mesh,
                     const MeshTensor& tensor) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const bool replicated = std::all_of(source.placements.begin(), source.placements.end(),
                                        [](const Placement& placement) { return placement.is_replicate(); });
    if (replicated || plan.steps.empty()) return 0.0;

    std::int64_t shards = 1;
    for (std::size_t mesh_dim = 0; mesh_dim < source.placements.size(); ++mesh_dim)
        if (source.placements[mesh_dim].cuts()) shards *= mesh.shape[mesh_dim];
    double gib = static_cast<double>(tensor.bytes()) / static_cast<double>(shards) / bytes_per_gib;

    const std::unique_ptr<CollectiveTimes> times = torch_times(mesh);
    double cost = 0.0;
    for (const RedistributionStep& step : plan.steps) {
        // torch's formula does not know strided shards: such steps cost nothing and leave the bytes as they are.
        if (step.source.is_strided_shard() || step.destination.is_strided_shard()) continue;
        if (step.source.is_shard() && step.destination.is_partial()) return never;
        if (step.source.is_partial() && step.destination.is_partial()) return never;
        const auto ranks = static_cast<double>(mesh.shape[static_cast<std::size_t>(step.mesh_dims.front())]);
        if (communicates(step.kind)) cost += times->time(step.kind, step.mesh_dims, gib);
        if (step.kind == StepKind::all_gather) gib *= ranks;
        if (step.kind == StepKind::reduce_scatter || step.kind == StepKind::chunk) gib /= ranks;
    }
    return cost;
}

}  // namespace overlap
