#pragma once

#include <memory>
#include <stop_token>

#include "core/mesh/collective_times.h"

namespace overlap {

class PlannerSearch;

/// Which steps the search may take beyond torch's.
struct OptimalPlannerOptions {
    bool merged_collectives = true;  ///< one collective over several mesh dimensions, any order among them
    bool permutations = true;  ///< any order of one tensor dimension's mesh dimensions to any other, in one exchange
    /// Prices a permutation as an exchange among the mesh dimensions that change place, also where ranks need data from
    /// others: a lower bound, for comparison with other searches. Plans may then hold exchanges that cannot be done.
    bool moved_mesh_dims_suffice = false;
};

/// What a step needs beyond torch's own redistribution.
enum class StepNeeds : std::uint8_t {
    nothing,         ///< torch's executor does it
    block_order,     ///< blocks of equal size must be put in order locally before or after the collective
    per_rank_sizes,  ///< parts differ in size: pad or send true sizes; torch's executor would deliver wrong data
    identity,        ///< R to P(product) and bitwise: one rank keeps the value, the others the operation's identity
    exchange,        ///< a permutation: point-to-point sends, which torch's redistribution does not have
};

struct OptimalPlan {
    RedistributionPlan plan;
    std::vector<StepNeeds> needs;  ///< of each step
};

/// The cheapest path when a collective may span several mesh dimensions and orders may be exchanged: never more
/// expensive than what torch executes, under the same model. Every step moves the right data also where sizes do not
/// divide.
class OptimalPlanner {
  public:
    /// @param times must outlive the planner.
    OptimalPlanner(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                   OptimalPlannerOptions options = {});
    ~OptimalPlanner();
    OptimalPlanner(OptimalPlanner&&) noexcept;
    OptimalPlanner& operator=(OptimalPlanner&&) noexcept;

    /// @throws InputError as GraphPlanner::plan.
    OptimalPlan plan(const ShardingState& source, const ShardingState& target, std::int64_t rank = 0,
                     const std::stop_token& stop = {});
    double cost(const ShardingState& source, const ShardingState& target);

  private:
    std::unique_ptr<PlannerSearch> search_;
};

/// What a plan costs under `times` when merged steps are priced as one collective, whether or not torch can execute it:
/// torch's executed path and the optimal one on one scale.
double plan_cost(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor,
                 const CollectiveTimes& times);

/// That for a plan that torch is to execute: +infinity when it cannot.
double executed_cost(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor,
                     const CollectiveTimes& times);

/// A sentence for display on what a step needs; empty for nothing.
std::string_view explain(StepNeeds needs);

}  // namespace overlap
