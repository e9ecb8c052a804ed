#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/mesh/device_mesh.h"

namespace overlap {

/// GPU generations that the NCCL model has constants for: A100; H100 and H200; B200 and GB200.
enum class NcclArchitecture : std::uint8_t { ampere, hopper, blackwell };

/// The machines that a job runs on, as autoparallel's NCCL model sees them (`NCCLTopoConfig` in
/// autoparallel/cost_models/nccl_cost_model.py). Bandwidths are totals of one GPU in GB/s, 1 GB = 10^9 bytes.
struct NcclConfig {
    NcclArchitecture architecture = NcclArchitecture::hopper;
    std::int64_t gpus_per_node = 8;
    double intra_node_bandwidth = 320.0;
    double inter_node_bandwidth = 50.0;
    int channels = 16;            ///< NCCL's parallel rings or trees, which share the bandwidths
    bool has_nvswitch = true;     ///< all GPUs of a node at full bandwidth, NVLS
    bool has_collnet = false;     ///< reductions in the network (SHARP)
    double net_latency_us = 0.0;  ///< of the network, on top of the tables'

    /// Hopper or later with an NVSwitch: the machines that the measured tables are of.
    bool is_switched_hopper() const { return has_nvswitch && architecture != NcclArchitecture::ampere; }

    /// @throws InputError unless counts and bandwidths are positive and the latency is not negative.
    void validate() const;
};

/// Names that `find_nccl_config` knows: the presets `a100`, `h100`, `gb200` and variations of them.
std::span<const std::string_view> nccl_config_names();

/// A configuration by name. @throws InputError for an unknown name, with the known ones.
NcclConfig find_nccl_config(std::string_view name);

/// A communicator along one mesh dimension. Bandwidths are those of one channel, in GB/s.
struct NcclTopology {
    NcclConfig config;
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t ranks_per_node = 1;
    double intra_node_bandwidth = 0.0;
    double inter_node_bandwidth = 0.0;
};

/// Which part of the machines a mesh dimension spans when ranks fill one node after another. Counts of nodes are
/// rounded down as autoparallel's are: 3 ranks at 2 a node are one node.
/// @throws InputError for a bad configuration, a mesh without ranks, or a dimension that the mesh does not have.
NcclTopology nccl_topology(const NcclConfig& config, const Extents& mesh_shape, int mesh_dim);

}  // namespace overlap
