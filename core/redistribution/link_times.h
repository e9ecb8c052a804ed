#pragma once

#include "core/graph/graph.h"
#include "core/mesh/collective_times.h"
#include "core/redistribution/redistribution_mesh.h"

namespace overlap {

/// What collectives along the process groups of a graph cost by its links: the very function that prices the graph's
/// collectives (core/cost/cost_model.h), so that figures of other paths compare with simulated times.
///
/// A communicator over several mesh dimensions has the link of a process group of just these ranks, if the graph lists
/// one. Else its link is derived: the least bandwidth and the greatest latency among its dimensions.
class LinkTimes final : public CollectiveTimes {
  public:
    /// @param graph and mesh must outlive this.
    /// @throws InputError when the graph has no cost model or no link for a group of the mesh.
    LinkTimes(const Graph& graph, const GroupMesh& mesh);

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override;

    /// Milliseconds of a collective that takes or returns `bytes`, the larger of both.
    double time_ms(StepKind kind, std::span<const int> mesh_dims, std::int64_t bytes) const;

    /// The process group that the graph lists with just the ranks of these mesh dimensions; nullptr if there is none.
    const ProcessGroup* group_over(std::span<const int> mesh_dims) const;

  private:
    CostParameters::Link link(std::span<const int> mesh_dims) const;

    const Graph& graph_;
    const GroupMesh& mesh_;
};

}  // namespace overlap
