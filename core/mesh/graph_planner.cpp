#include "core/mesh/graph_planner.h"

#include "core/mesh/path_search.h"

namespace overlap {

class GraphPlanner::Search {
  public:
    Search(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times, GraphPlannerOptions options)
        : mesh_(mesh),
          tensor_(tensor),
          times_(mesh, tensor, times, {options.free_strided_gathers, false}),
          spaces_(mesh, tensor, {}) {}

    RedistributionPlan plan(const ShardingState& source, const ShardingState& target, std::int64_t rank) {
        const PathQuestion question = path_question(spaces_, source, target, mesh_, tensor_.dims());
        const PathSearch::Result result = run(question);
        if (!(result.cost < std::numeric_limits<double>::infinity())) fail_no_path(source, target);
        RedistributionPlan plan =
            described_plan(search_.path(*question.space, times_, question.source, question.target), source,
                           *question.space, mesh_, tensor_.shape, rank);
        plan.states_expanded = result.states_expanded;
        return plan;
    }

    double cost(const ShardingState& source, const ShardingState& target) {
        return run(path_question(spaces_, source, target, mesh_, tensor_.dims())).cost;
    }

  private:
    PathSearch::Result run(const PathQuestion& question) {
        return search_.run(*question.space, times_, question.source, question.target, question.partial_targets);
    }

    DeviceMesh mesh_;
    MeshTensor tensor_;
    EdgeTimes times_;
    StateSpaces spaces_;
    PathSearch search_;
};

GraphPlanner::GraphPlanner(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                           GraphPlannerOptions options) {
    mesh.validate();
    tensor.validate();
    search_ = std::make_unique<Search>(mesh, tensor, times, options);
}

GraphPlanner::~GraphPlanner() = default;
GraphPlanner::GraphPlanner(GraphPlanner&&) noexcept = default;
GraphPlanner& GraphPlanner::operator=(GraphPlanner&&) noexcept = default;

RedistributionPlan GraphPlanner::plan(const ShardingState& source, const ShardingState& target, std::int64_t rank) {
    return search_->plan(source, target, rank);
}

double GraphPlanner::cost(const ShardingState& source, const ShardingState& target) {
    return search_->cost(source, target);
}

}  // namespace overlap
