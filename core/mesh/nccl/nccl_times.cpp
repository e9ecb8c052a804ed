#include "core/mesh/nccl/nccl_times.h"

#include <cmath>
#include <vector>

#include "core/base/byte_units.h"
#include "core/mesh/nccl/nccl_cost_model.h"

namespace overlap {

namespace {

/// Ranks below `limit` among those that differ from rank 0 only in the mesh dimensions of `mask`, from `mesh_dim` on.
std::int64_t ranks_below(const DeviceMesh& mesh, unsigned mask, int mesh_dim, std::int64_t limit) {
    if (mesh_dim == mesh.dims()) return 1;
    std::int64_t stride = 1;
    for (int inner = mesh_dim + 1; inner < mesh.dims(); ++inner) stride *= mesh.shape[static_cast<std::size_t>(inner)];
    const std::int64_t size = (mask >> mesh_dim & 1U) != 0 ? mesh.shape[static_cast<std::size_t>(mesh_dim)] : 1;
    std::int64_t count = 0;
    for (std::int64_t index = 0; index < size && index * stride < limit; ++index)
        count += ranks_below(mesh, mask, mesh_dim + 1, limit - index * stride);
    return count;
}

NcclTopology topology_of(const DeviceMesh& mesh, const NcclConfig& config, unsigned mask) {
    int first = 0;
    while ((mask >> first & 1U) == 0) ++first;
    NcclTopology topology = nccl_topology(config, mesh.shape, first);
    if (mask == 1U << first) return topology;
    topology.ranks = 1;
    for (int mesh_dim = 0; mesh_dim < mesh.dims(); ++mesh_dim)
        if ((mask >> mesh_dim & 1U) != 0) topology.ranks *= mesh.shape[static_cast<std::size_t>(mesh_dim)];
    topology.ranks_per_node = ranks_below(mesh, mask, 0, config.gpus_per_node);
    topology.nodes = topology.ranks / topology.ranks_per_node;
    return topology;
}

CollectiveKind collective_of(StepKind kind) {
    switch (kind) {
        case StepKind::all_gather:
            return CollectiveKind::all_gather;
        case StepKind::reduce_scatter:
            return CollectiveKind::reduce_scatter;
        case StepKind::all_reduce:
            return CollectiveKind::all_reduce;
        default:
            return CollectiveKind::all_to_all;
    }
}

class NcclTimes : public CollectiveTimes {
  public:
    NcclTimes(const DeviceMesh& mesh, const NcclConfig& config) {
        mesh.validate();
        topologies_.resize(std::size_t{1} << mesh.dims());
        for (unsigned mask = 1; mask < topologies_.size(); ++mask) topologies_[mask] = topology_of(mesh, config, mask);
    }

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override {
        std::size_t mask = 0;
        for (const int mesh_dim : mesh_dims) mask |= std::size_t{1} << mesh_dim;
        const NcclTopology& topology = topologies_[mask];
        const double parts = kind == StepKind::all_gather ? static_cast<double>(topology.ranks) : 1.0;
        return nccl_time_us(topology, collective_of(kind), std::llround(local_gib * bytes_per_gib * parts));
    }

  private:
    std::vector<NcclTopology> topologies_;  ///< by set of mesh dimensions, bit m for mesh dimension m
};

}  // namespace

std::unique_ptr<CollectiveTimes> nccl_times(const DeviceMesh& mesh, const NcclConfig& config) {
    return std::make_unique<NcclTimes>(mesh, config);
}

}  // namespace overlap
