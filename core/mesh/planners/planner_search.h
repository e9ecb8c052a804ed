#pragma once

#include "core/mesh/planners/path_search.h"

namespace overlap {

/// What every planner that searches is made of: the spaces of a mesh and a tensor, the times of their steps, the
/// search.
class PlannerSearch {
  public:
    /// @throws InputError for a mesh or tensor that validate() refuses.
    PlannerSearch(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times,
                  EdgeTimes::Options time_options, StateSpaceRules rules);

    /// @throws InputError when a state does not fit, no path leads from source to target, or the search is stopped.
    RedistributionPlan plan(const ShardingState& source, const ShardingState& target, std::int64_t rank,
                            const std::stop_token& stop);
    /// +infinity without a path.
    double cost(const ShardingState& source, const ShardingState& target);

    const DeviceMesh& mesh() const { return mesh_; }
    const MeshTensor& tensor() const { return tensor_; }

  private:
    PathSearch::Result run(const SearchQuestion& question, const std::stop_token& stop);

    DeviceMesh mesh_;
    MeshTensor tensor_;
    EdgeTimes times_;
    StateSpaces spaces_;
    PathSearch search_;
};

}  // namespace overlap
