#pragma once

#include <memory>
#include <stop_token>

#include "core/mesh/collective_times.h"

namespace overlap {

class PlannerSearch;

struct GraphPlannerOptions {
    /// torch's own cost function does not know strided shards and prices their gathers with 0.
    bool free_strided_gathers = true;
};

/// torch's graph planner: the cheapest path through steps of single mesh dimensions, ties and order of search included
/// (torch/distributed/tensor/_redistribute.py, DTensorRedistributePlanner.find_min_cost_path).
///
/// Keeps what it learns of the mesh between plans, so one planner for many questions on one mesh is fastest. Not for
/// several threads at once.
class GraphPlanner {
  public:
    /// @param times must outlive the planner.
    /// @throws InputError for a mesh or tensor that validate() refuses.
    GraphPlanner(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                 GraphPlannerOptions options = {});
    ~GraphPlanner();
    GraphPlanner(GraphPlanner&&) noexcept;
    GraphPlanner& operator=(GraphPlanner&&) noexcept;

    /// Logical shapes are those of `rank`.
    /// @throws InputError when a state does not fit mesh or tensor, or no path leads from source to target (the
    /// sentence names both).
    RedistributionPlan plan(const ShardingState& source, const ShardingState& target, std::int64_t rank = 0,
                            const std::stop_token& stop = {});

    /// The path's total cost alone, +infinity where there is none: what tables of all pairs need.
    double cost(const ShardingState& source, const ShardingState& target);

  private:
    std::unique_ptr<PlannerSearch> search_;
};

}  // namespace overlap
