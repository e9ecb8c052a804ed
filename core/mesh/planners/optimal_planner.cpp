#include "core/mesh/planners/optimal_planner.h"

#include <algorithm>
#include <limits>

#include "core/base/byte_units.h"
#include "core/mesh/planners/planner_search.h"
#include "core/mesh/reachable_sizes.h"

namespace overlap {

namespace {

/// How the parts of one tensor dimension fare when several mesh dimensions cut it in one collective.
StepNeeds needs_of_cut(const ShardOrder& order, int tensor_dim, const std::vector<int>& merged, const DeviceMesh& mesh,
                       const Extents& tensor_shape, bool flat_parts_suffice) {
    const std::vector<int> cutting = mesh_dims_of(order, tensor_dim);
    std::vector<int> before, among;
    for (const int mesh_dim : cutting)
        (std::find(merged.begin(), merged.end(), mesh_dim) == merged.end() ? before : among).push_back(mesh_dim);
    const bool ascending = std::is_sorted(among.begin(), among.end());
    const std::int64_t ranks = ranks_of(among, mesh);
    for (const std::int64_t size : reachable_sizes(tensor_shape[static_cast<std::size_t>(tensor_dim)], before, mesh)) {
        if (size % ranks == 0) continue;
        if (!flat_parts_suffice || !ascending || !nested_parts_are_flat(size, among, mesh))
            return StepNeeds::per_rank_sizes;
    }
    return ascending ? StepNeeds::nothing : StepNeeds::block_order;
}

StepNeeds needs_of(const RedistributionStep& step, const ShardingState& before, const ShardingState& after,
                   const DeviceMesh& mesh, const Extents& tensor_shape) {
    const auto cut = [&](const ShardingState& state, int tensor_dim, bool flat_parts_suffice) {
        return needs_of_cut(state.shard_order, tensor_dim, step.mesh_dims, mesh, tensor_shape, flat_parts_suffice);
    };
    if (step.kind == StepKind::partition)
        return can_be_partitioned(step.destination.reduce_op) ? StepNeeds::nothing : StepNeeds::identity;
    if (step.kind != StepKind::permute && !step.flattened()) return StepNeeds::nothing;
    switch (step.kind) {
        case StepKind::all_gather:
            return cut(before, step.source.tensor_dim, true);
        case StepKind::reduce_scatter:
            return cut(after, step.destination.tensor_dim, false);
        case StepKind::all_to_all: {
            const bool uneven = cut(before, step.source.tensor_dim, false) == StepNeeds::per_rank_sizes ||
                                cut(after, step.destination.tensor_dim, false) == StepNeeds::per_rank_sizes;
            return uneven ? StepNeeds::per_rank_sizes : StepNeeds::exchange;
        }
        case StepKind::permute: {
            const int tensor_dim = step.source.tensor_dim;
            const std::int64_t size = tensor_shape[static_cast<std::size_t>(tensor_dim)];
            const bool even = size % ranks_of(mesh_dims_of(before.shard_order, tensor_dim), mesh) == 0;
            return even ? StepNeeds::exchange : StepNeeds::per_rank_sizes;
        }
        default:
            return StepNeeds::nothing;
    }
}

}  // namespace

OptimalPlanner::OptimalPlanner(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                               OptimalPlannerOptions options)
    : search_(std::make_unique<PlannerSearch>(
          mesh, tensor, times, EdgeTimes::Options{.free_strided_gathers = false, .free_single_ranks = true},
          StateSpaceRules{.reduce_ops = {},
                          .strided_targets = {},
                          .merged_collectives = options.merged_collectives,
                          .permutations = options.permutations,
                          .moved_mesh_dims_suffice = options.moved_mesh_dims_suffice})) {}

OptimalPlanner::~OptimalPlanner() = default;
OptimalPlanner::OptimalPlanner(OptimalPlanner&&) noexcept = default;
OptimalPlanner& OptimalPlanner::operator=(OptimalPlanner&&) noexcept = default;

OptimalPlan OptimalPlanner::plan(const ShardingState& source, const ShardingState& target, std::int64_t rank,
                                 const std::stop_token& stop) {
    OptimalPlan found{search_->plan(source, target, rank, stop), {}};
    for (std::size_t step = 0; step < found.plan.steps.size(); ++step)
        found.needs.push_back(needs_of(found.plan.steps[step], found.plan.states[step], found.plan.states[step + 1],
                                       search_->mesh(), search_->tensor().shape));
    return found;
}

double OptimalPlanner::cost(const ShardingState& source, const ShardingState& target) {
    return search_->cost(source, target);
}

double plan_cost(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor,
                 const CollectiveTimes& times) {
    double cost = 0.0;
    for (std::size_t index = 0; index < plan.steps.size(); ++index) {
        const RedistributionStep& step = plan.steps[index];
        if (!communicates(step.kind) || ranks_of(step.mesh_dims, mesh) == 1) continue;
        std::vector<int> cutting;
        for (const ShardOrderEntry& entry : plan.states[index].shard_order)
            cutting.insert(cutting.end(), entry.mesh_dims.begin(), entry.mesh_dims.end());
        const double local_gib =
            static_cast<double>(tensor.bytes()) / static_cast<double>(ranks_of(cutting, mesh)) / bytes_per_gib;
        // torch changes strided shards by way of a replicate.
        const bool strided = step.source.is_strided_shard() || step.destination.is_strided_shard();
        StepKind kind = step.kind;
        if (strided && kind == StepKind::all_to_all) kind = StepKind::all_gather;
        if (strided && kind == StepKind::reduce_scatter) kind = StepKind::all_reduce;
        cost += times.time(kind, step.mesh_dims, local_gib);
    }
    return cost;
}

double executed_cost(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor,
                     const CollectiveTimes& times) {
    if (!execution_error(plan).empty()) return std::numeric_limits<double>::infinity();
    return plan_cost(plan, mesh, tensor, times);
}

std::string_view explain(StepNeeds needs) {
    switch (needs) {
        case StepNeeds::nothing:
            return "";
        case StepNeeds::block_order:
            return "The communicator's order is not the shards' order: blocks of equal size are put in order locally.";
        case StepNeeds::per_rank_sizes:
            return "Parts differ in size: ranks must exchange true sizes or pad; PyTorch's merged collective would "
                   "deliver wrong data.";
        case StepNeeds::identity:
            return "PyTorch has no such step: one rank keeps the value, the others hold the operation's identity.";
        case StepNeeds::exchange:
            return "PyTorch's redistribution has no such step: call all_to_all_single on the merged communicator.";
    }
    return "";
}

}  // namespace overlap
