#include "core/mesh/planners/planner_search.h"

#include <utility>

namespace overlap {

namespace {

/// Checked before anything is made of it.
const DeviceMesh& validated(const DeviceMesh& mesh, const MeshTensor& tensor) {
    mesh.validate();
    tensor.validate();
    return mesh;
}

}  // namespace

PlannerSearch::PlannerSearch(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                             EdgeTimes::Options time_options, StateSpaceRules rules)
    : mesh_(validated(mesh, tensor)),
      tensor_(tensor),
      times_(mesh, tensor, times, time_options),
      spaces_(mesh, tensor, std::move(rules)) {}

RedistributionPlan PlannerSearch::plan(const ShardingState& source, const ShardingState& target, std::int64_t rank,
                                       const std::stop_token& stop) {
    const SearchQuestion question = search_question(spaces_, source, target, mesh_, tensor_.dims());
    const PathSearch::Result result = run(question, stop);
    if (!(result.cost < std::numeric_limits<double>::infinity())) fail_no_path(source, target);
    RedistributionPlan plan = described_plan(search_.path(*question.space, times_, question.source, question.target),
                                             source, *question.space, mesh_, tensor_.shape, rank);
    plan.states_expanded = result.states_expanded;
    return plan;
}

double PlannerSearch::cost(const ShardingState& source, const ShardingState& target) {
    return run(search_question(spaces_, source, target, mesh_, tensor_.dims()), {}).cost;
}

PathSearch::Result PlannerSearch::run(const SearchQuestion& question, const std::stop_token& stop) {
    return search_.run(*question.space, times_, question.source, question.target, question.partial_targets, stop);
}

}  // namespace overlap
