#pragma once

#include <memory>
#include <span>

#include "core/mesh/redistribution.h"

namespace overlap {

/// Costs of collectives on a mesh: the planners' view of a cost model. Threads may share implementations.
class CollectiveTimes {
  public:
    virtual ~CollectiveTimes() = default;

    /// @param kind a kind that communicates.
    /// @param mesh_dims of the step, ascending; several are one collective over all their ranks.
    /// @param local_gib what one rank holds before the step, in GiB; exact bytes over shards where sizes do not divide.
    /// @return microseconds, or whatever unit the model has, at least 0.
    virtual double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const = 0;
};

/// Latency and bandwidth of each mesh dimension as torch guesses them from the mesh (MeshTopoInfo.build_from_mesh):
/// a dimension that reaches over more than `devices_per_host` ranks is inter-host.
struct MeshTopology {
    std::vector<double> bandwidth_gib_s;  ///< of one mesh dimension, GiB a second
    std::vector<double> latency_us;       ///< of one hop
};

MeshTopology torch_topology(const DeviceMesh& mesh);

/// torch's ring formulas (torch/distributed/tensor/_collective_utils.py) in microseconds, bit for bit on single mesh
/// dimensions. Several mesh dimensions: product of ranks, least bandwidth, greatest latency. A permutation sends the
/// local bytes once.
std::unique_ptr<CollectiveTimes> ring_times(const DeviceMesh& mesh, MeshTopology topology);
std::unique_ptr<CollectiveTimes> torch_times(const DeviceMesh& mesh);

/// Constants of the fixed model; a merged collective costs its constant once.
struct FixedCosts {
    double all_reduce = 4.0, all_to_all = 1.0, all_gather = 2.0, reduce_scatter = 2.0, permute = 1.0;
};

std::unique_ptr<CollectiveTimes> fixed_times(const FixedCosts& costs = {});

}  // namespace overlap
