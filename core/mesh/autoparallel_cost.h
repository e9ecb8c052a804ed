#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/operator_traits.h"
#include "core/mesh/collective_times.h"
#include "core/mesh/nccl_config.h"

namespace overlap {

/// What autoparallel's solver takes a redistribution to cost
/// (autoparallel/cost_models/collective_runtime_estimation.py). It knows no orders and no search: mesh dimensions
/// change one after the other, each by one collective.

/// Microseconds of one collective along a mesh dimension. Bytes of the gathered tensor, of the one before the scatter,
/// else of a rank's own.
using MeshCollectiveTime = std::function<double(CollectiveKind collective, int mesh_dim, std::int64_t bytes)>;

/// torch's ring formulas, an all-to-all five times as dear as an all_gather of its bytes.
MeshCollectiveTime torch_collective_time(const DeviceMesh& mesh, const MeshTopology& topology);

/// The NCCL model. @throws InputError for a bad configuration.
MeshCollectiveTime nccl_collective_time(const DeviceMesh& mesh, const NcclConfig& config);

/// Bytes a second that the named GPU reads and writes, such as `NVIDIA H100 80GB HBM3`.
/// @throws InputError for a GPU that autoparallel does not know.
double gpu_memory_bandwidth(std::string_view gpu_name);

/// Microseconds to read and write `bytes` in all: at 70 % of the bandwidth, at least the launch of a kernel.
double read_write_time_us(double bytes, double memory_bandwidth);

/// The machine that costs are asked of.
struct AutoparallelMachine {
    MeshCollectiveTime collective_time_us;
    double memory_bandwidth = 0.0;  ///< bytes a second
};

/// A tensor, and whether it lies in memory in row-major order: another layout is copied before it is sent.
struct LaidOutTensor {
    MeshTensor tensor;
    bool is_contiguous = true;
};

/// Row-major strides, where those of dimensions of size 1 do not count.
/// @throws InputError unless there is one stride for each dimension.
bool has_contiguous_strides(const Extents& shape, const Extents& strides);

/// The order in which autoparallel visits mesh dimensions when nobody chooses: ascending; (1, 0) from `P(sum)P(sum)`
/// to shards.
std::vector<int> autoparallel_visiting_order(std::span<const Placement> source, std::span<const Placement> target);

/// Microseconds from `source` to `target` with mesh dimensions visited in the given order (`redistribute_cost`);
/// infinite where something not partial is to become partial. Copies count where a tensor dimension other than the
/// first is gathered, exchanged or scattered. Cutting costs nothing and, as in autoparallel, does not make later
/// collectives smaller. Strided shards change for free: autoparallel does not see them. autoparallel itself keeps costs
/// by placements and tensor alone, so it may answer for another mesh or order that it was asked before.
/// @throws InputError when a list does not have one entry for each mesh dimension, or the order repeats one.
double autoparallel_cost_us(std::span<const Placement> source, std::span<const Placement> target,
                            const DeviceMesh& mesh, const LaidOutTensor& tensor, const AutoparallelMachine& machine,
                            std::span<const int> visiting_order);

}  // namespace overlap
