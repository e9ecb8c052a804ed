#include "core/mesh/planners/graph_planner.h"

#include "core/mesh/planners/planner_search.h"

namespace overlap {

GraphPlanner::GraphPlanner(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                           GraphPlannerOptions options)
    : search_(std::make_unique<PlannerSearch>(
          mesh, tensor, times,
          EdgeTimes::Options{.free_strided_gathers = options.free_strided_gathers, .free_single_ranks = false},
          StateSpaceRules{})) {}

GraphPlanner::~GraphPlanner() = default;
GraphPlanner::GraphPlanner(GraphPlanner&&) noexcept = default;
GraphPlanner& GraphPlanner::operator=(GraphPlanner&&) noexcept = default;

RedistributionPlan GraphPlanner::plan(const ShardingState& source, const ShardingState& target, std::int64_t rank,
                                      const std::stop_token& stop) {
    return search_->plan(source, target, rank, stop);
}

double GraphPlanner::cost(const ShardingState& source, const ShardingState& target) {
    return search_->cost(source, target);
}

}  // namespace overlap
