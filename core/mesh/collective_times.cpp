#include "core/mesh/collective_times.h"

#include <algorithm>

namespace overlap {

namespace {

/// Launch latency of every collective in torch's model, microseconds.
constexpr double base_latency_us = 6.6;
/// torch adds this to an all_to_all, "to favor all_gather", in place of a formula of its own.
constexpr double all_to_all_penalty_us = 1.0;

class RingTimes final : public CollectiveTimes {
  public:
    RingTimes(const DeviceMesh& mesh, MeshTopology topology) : shape_(mesh.shape), topology_(std::move(topology)) {}

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override {
        const Ring ring = ring_of(mesh_dims);
        switch (kind) {
            case StepKind::all_gather:
                return round(ring, local_gib * ring.ranks, ring.ranks - 1);
            case StepKind::reduce_scatter:
                return round(ring, local_gib, ring.ranks - 1);
            case StepKind::all_reduce:
                return round(ring, local_gib, 2 * (ring.ranks - 1));
            case StepKind::all_to_all:
                return round(ring, local_gib, ring.ranks - 1) + all_to_all_penalty_us;
            case StepKind::permute:
                return (base_latency_us + ring.latency_us) + local_gib / ring.bandwidth_gib_s * 1e6;
            default:
                return 0.0;
        }
    }

  private:
    struct Ring {
        double ranks = 1.0, bandwidth_gib_s = 0.0, latency_us = 0.0;
    };

    Ring ring_of(std::span<const int> mesh_dims) const {
        Ring ring;
        for (const int mesh_dim : mesh_dims) {
            const auto m = static_cast<std::size_t>(mesh_dim);
            ring.ranks *= static_cast<double>(shape_[m]);
            ring.bandwidth_gib_s = mesh_dim == mesh_dims.front()
                                       ? topology_.bandwidth_gib_s[m]
                                       : std::min(ring.bandwidth_gib_s, topology_.bandwidth_gib_s[m]);
            ring.latency_us = std::max(ring.latency_us, topology_.latency_us[m]);
        }
        return ring;
    }

    /// torch's order of operations: results agree to the last bit.
    static double round(const Ring& ring, double gib, double hops) {
        const double latency = base_latency_us + hops * ring.latency_us;
        const double seconds = (gib * hops / ring.ranks) / ring.bandwidth_gib_s;
        return latency + seconds * 1e6;
    }

    Extents shape_;
    MeshTopology topology_;
};

class FixedTimes final : public CollectiveTimes {
  public:
    explicit FixedTimes(const FixedCosts& costs) : costs_(costs) {}

    double time(StepKind kind, std::span<const int>, double) const override {
        switch (kind) {
            case StepKind::all_gather:
                return costs_.all_gather;
            case StepKind::all_to_all:
                return costs_.all_to_all;
            case StepKind::all_reduce:
                return costs_.all_reduce;
            case StepKind::reduce_scatter:
                return costs_.reduce_scatter;
            case StepKind::permute:
                return costs_.permute;
            default:
                return 0.0;
        }
    }

  private:
    FixedCosts costs_;
};

}  // namespace

MeshTopology torch_topology(const DeviceMesh& mesh) {
    constexpr double intra_host_gib_s = 87.7, inter_host_factor = 0.22;
    constexpr double intra_host_latency_us = 0.6, inter_host_latency_us = 2.7;
    MeshTopology topology{std::vector<double>(mesh.shape.size(), intra_host_gib_s),
                          std::vector<double>(mesh.shape.size(), intra_host_latency_us)};
    std::int64_t ranks = 1;
    for (std::size_t mesh_dim = mesh.shape.size(); mesh_dim-- > 0;) {
        ranks *= mesh.shape[mesh_dim];
        if (ranks <= mesh.devices_per_host) continue;
        topology.bandwidth_gib_s[mesh_dim] *= inter_host_factor;
        topology.latency_us[mesh_dim] = inter_host_latency_us;
    }
    return topology;
}

std::unique_ptr<CollectiveTimes> ring_times(const DeviceMesh& mesh, MeshTopology topology) {
    return std::make_unique<RingTimes>(mesh, std::move(topology));
}

std::unique_ptr<CollectiveTimes> torch_times(const DeviceMesh& mesh) {
    return ring_times(mesh, torch_topology(mesh));
}

std::unique_ptr<CollectiveTimes> fixed_times(const FixedCosts& costs) {
    return std::make_unique<FixedTimes>(costs);
}

}  // namespace overlap
