#include "core/mesh/autoparallel_cost.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "core/graph/error.h"
#include "core/mesh/nccl_cost_model.h"

namespace overlap {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr double tib = 1024.0 * gib;
constexpr double infinite = std::numeric_limits<double>::infinity();

struct GpuMemory {
    std::string_view name;
    double bandwidth;
};

/// The first name that the GPU's own contains counts. PG509 is an A100 before it was called so.
constexpr std::array<GpuMemory, 15> gpu_memories = {{{"H100", 3.35 * tib},
                                                     {"B200", 7.7 * tib},
                                                     {"A100", 2 * tib},
                                                     {"PG509", 2 * tib},
                                                     {"A30", 933 * gib},
                                                     {"A10G", 933 * gib},
                                                     {"T4", 300 * gib},
                                                     {"V100", 900 * gib},
                                                     {"P100", 732 * gib},
                                                     {"AMD Instinct MI200X", 1.6 * tib},
                                                     {"AMD Instinct MI300X", 5.3 * tib},
                                                     {"AMD Instinct MI325X", 6.0 * tib},
                                                     {"AMD Instinct MI350X", 8.0 * tib},
                                                     {"AMD Instinct MI355X", 8.0 * tib},
                                                     {"Max 1550", 3.3 * tib}}};

/// The walk over mesh dimensions with the bytes that a rank holds on the way.
class CostWalk {
  public:
    CostWalk(double bytes, const DeviceMesh& mesh, const AutoparallelMachine& machine)
        : bytes_(bytes), mesh_(mesh), machine_(machine) {}

    double total_us() const { return total_us_; }

    /// Reads and writes what the rank holds `times` times.
    void copy(int times = 1) { total_us_ += times * read_write_time_us(bytes_ * 2, machine_.memory_bandwidth); }

    void change(int mesh_dim, const Placement& source, const Placement& target) {
        const auto ranks = static_cast<double>(mesh_.shape[static_cast<std::size_t>(mesh_dim)]);
        if (target.is_partial() && (source.is_shard() || source.is_replicate())) {
            total_us_ = infinite;
        } else if (source.is_shard() && target.is_replicate()) {
            bytes_ *= ranks;
            communicate(CollectiveKind::all_gather, mesh_dim);
            if (source.tensor_dim != 0) copy();
        } else if (source.is_shard() && target.is_shard()) {
            communicate(CollectiveKind::all_to_all, mesh_dim);
            copy((source.tensor_dim != 0) + (target.tensor_dim != 0));
        } else if (source.is_partial() && target.is_replicate()) {
            communicate(CollectiveKind::all_reduce, mesh_dim);
        } else if (source.is_partial() && target.is_shard()) {
            communicate(CollectiveKind::reduce_scatter, mesh_dim);
            if (target.tensor_dim != 0) copy();
            bytes_ /= ranks;
        }
    }

  private:
    void communicate(CollectiveKind collective, int mesh_dim) {
        total_us_ += machine_.collective_time_us(collective, mesh_dim, static_cast<std::int64_t>(bytes_));
    }

    double bytes_;  ///< exact shares, also where sizes do not divide
    const DeviceMesh& mesh_;
    const AutoparallelMachine& machine_;
    double total_us_ = 0.0;
};

void check_count(std::string_view list, std::size_t count, const DeviceMesh& mesh) {
    if (count != mesh.shape.size())
        throw InputError(std::string(list), "has " + std::to_string(count) + " entries for a mesh of " +
                                                std::to_string(mesh.dims()) + " dimensions");
}

void check_visiting_order(std::span<const int> visiting_order, const DeviceMesh& mesh) {
    check_count("visiting order", visiting_order.size(), mesh);
    for (int mesh_dim = 0; mesh_dim < mesh.dims(); ++mesh_dim)
        if (std::ranges::find(visiting_order, mesh_dim) == visiting_order.end())
            throw InputError("visiting order", "lacks mesh dimension " + std::to_string(mesh_dim));
}

/// What one rank holds of a tensor that is cut evenly by exact shares.
double local_bytes(std::span<const Placement> placements, const DeviceMesh& mesh, const MeshTensor& tensor) {
    std::int64_t shards = 1;
    for (std::size_t mesh_dim = 0; mesh_dim < placements.size(); ++mesh_dim)
        if (placements[mesh_dim].cuts()) shards *= mesh.shape[mesh_dim];
    return static_cast<double>(tensor.bytes()) / static_cast<double>(shards);
}

}  // namespace

MeshCollectiveTime torch_collective_time(const DeviceMesh& mesh, const MeshTopology& topology) {
    const std::shared_ptr<const CollectiveTimes> times = ring_times(mesh, topology);
    return [times](CollectiveKind collective, int mesh_dim, std::int64_t bytes) {
        const double sent_gib = static_cast<double>(bytes) / gib;
        const std::span<const int> along(&mesh_dim, 1);
        if (collective == CollectiveKind::all_reduce) return times->time(StepKind::all_reduce, along, sent_gib);
        // A ring gathers and scatters in the same time, and the time of a scatter is asked by the whole bytes.
        const double gather_us = times->time(StepKind::reduce_scatter, along, sent_gib);
        return collective == CollectiveKind::all_to_all ? gather_us * 5 : gather_us;
    };
}

MeshCollectiveTime nccl_collective_time(const DeviceMesh& mesh, const NcclConfig& config) {
    std::vector<NcclTopology> topologies;
    for (int mesh_dim = 0; mesh_dim < mesh.dims(); ++mesh_dim)
        topologies.push_back(nccl_topology(config, mesh.shape, mesh_dim));
    return [topologies](CollectiveKind collective, int mesh_dim, std::int64_t bytes) {
        return nccl_time_us(topologies[static_cast<std::size_t>(mesh_dim)], collective, bytes);
    };
}

double gpu_memory_bandwidth(std::string_view gpu_name) {
    for (const GpuMemory& memory : gpu_memories)
        if (gpu_name.find(memory.name) != std::string_view::npos) return memory.bandwidth;
    throw InputError("GPU \"" + std::string(gpu_name) + "\"", "autoparallel does not know its memory's bandwidth");
}

double read_write_time_us(double bytes, double memory_bandwidth) {
    constexpr double efficiency = 0.70, kernel_launch_us = 7.0;
    return std::max(bytes / memory_bandwidth * 1e6 / efficiency, kernel_launch_us);
}

bool has_contiguous_strides(const Extents& shape, const Extents& strides) {
    if (shape.size() != strides.size())
        throw InputError("strides of a tensor", std::to_string(strides.size()) + " strides for " +
                                                    std::to_string(shape.size()) + " dimensions");
    std::int64_t step = 1, step_of_sizes = 1;  // a size of 0 counts as 1 in the strides that torch makes
    for (std::size_t left = shape.size(); left > 0; --left) {
        const std::int64_t size = shape[left - 1], stride = strides[left - 1];
        if (size == 1) continue;
        if (stride != step && stride != step_of_sizes) return false;
        step *= std::max<std::int64_t>(size, 1);
        step_of_sizes *= size;
    }
    return true;
}

std::vector<int> autoparallel_visiting_order(std::span<const Placement> source, std::span<const Placement> target) {
    const auto sums = [](const Placement& placement) { return placement == Placement::partial(ReduceOp::sum); };
    if (source.size() == 2 && std::ranges::all_of(source, sums) && std::ranges::all_of(target, &Placement::is_shard))
        return {1, 0};
    std::vector<int> order(source.size());
    for (std::size_t mesh_dim = 0; mesh_dim < order.size(); ++mesh_dim) order[mesh_dim] = static_cast<int>(mesh_dim);
    return order;
}

double autoparallel_cost_us(std::span<const Placement> source, std::span<const Placement> target,
                            const DeviceMesh& mesh, const LaidOutTensor& tensor, const AutoparallelMachine& machine,
                            std::span<const int> visiting_order) {
    check_count("source placements", source.size(), mesh);
    check_count("target placements", target.size(), mesh);
    check_visiting_order(visiting_order, mesh);
    if (!(machine.memory_bandwidth > 0.0)) throw InputError("memory bandwidth", "must be above 0 bytes a second");
    if (std::ranges::all_of(source, &Placement::is_replicate))
        return std::ranges::any_of(target, &Placement::is_partial) ? infinite : 0.0;

    CostWalk walk(local_bytes(source, mesh, tensor.tensor), mesh, machine);
    bool is_contiguous = tensor.is_contiguous;
    for (const int mesh_dim : visiting_order) {
        const Placement& from = source[static_cast<std::size_t>(mesh_dim)];
        const Placement& to = target[static_cast<std::size_t>(mesh_dim)];
        if (from == to) continue;
        if (!is_contiguous) walk.copy();
        is_contiguous = true;  // a collective writes its result in order
        walk.change(mesh_dim, from, to);
    }
    return walk.total_us();
}

}  // namespace overlap
