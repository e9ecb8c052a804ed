#include "core/mesh/nccl/nccl_config.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/grouped_number.h"

namespace overlap {
namespace {

constexpr NcclConfig a100 = {.architecture = NcclArchitecture::ampere,
                             .gpus_per_node = 8,
                             .intra_node_bandwidth = 87.7,
                             .inter_node_bandwidth = 25.0,
                             .channels = 12,
                             .has_nvswitch = false};

constexpr NcclConfig h100 = {.architecture = NcclArchitecture::hopper,
                             .gpus_per_node = 8,
                             .intra_node_bandwidth = 320.0,
                             .inter_node_bandwidth = 50.0,
                             .channels = 16,
                             .has_nvswitch = true};

constexpr NcclConfig gb200 = {.architecture = NcclArchitecture::blackwell,
                              .gpus_per_node = 72,
                              .intra_node_bandwidth = 640.0,
                              .inter_node_bandwidth = 50.0,
                              .channels = 16,
                              .has_nvswitch = true};

constexpr NcclConfig with_channels(NcclConfig config, int channels) {
    config.channels = channels;
    return config;
}

constexpr NcclConfig with_collnet(NcclConfig config, double net_latency_us) {
    config.has_collnet = true;
    config.net_latency_us = net_latency_us;
    return config;
}

constexpr NcclConfig without_nvswitch(NcclConfig config) {
    config.has_nvswitch = false;
    return config;
}

constexpr std::array<std::string_view, 7> config_names = {
    "a100", "h100", "gb200", "h100_8ch", "h100_sharp", "h100_no_nvswitch", "a100_sharp_netlat"};
constexpr std::array<NcclConfig, 7> configs = {a100,
                                               h100,
                                               gb200,
                                               with_channels(h100, 8),
                                               with_collnet(h100, 0.0),
                                               without_nvswitch(h100),
                                               with_collnet(a100, 2.0)};

std::string comma_separated(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

}  // namespace

void NcclConfig::validate() const {
    const std::string place = "NCCL configuration";
    if (gpus_per_node < 1) throw InputError(place, "a node has at least one GPU, not " + grouped_count(gpus_per_node));
    if (channels < 1) throw InputError(place, "NCCL uses at least one channel, not " + grouped_count(channels));
    if (!(intra_node_bandwidth > 0.0) || !(inter_node_bandwidth > 0.0))
        throw InputError(place, "the bandwidths within and between nodes must be above 0 GB/s");
    if (!(net_latency_us >= 0.0)) throw InputError(place, "the latency of the network must not be negative");
}

std::span<const std::string_view> nccl_config_names() {
    return config_names;
}

NcclConfig find_nccl_config(std::string_view name) {
    const auto found = std::ranges::find(config_names, name);
    if (found == config_names.end())
        throw InputError("NCCL configuration \"" + std::string(name) + "\"",
                         "unknown name, expected one of " + comma_separated(config_names));
    return configs[static_cast<std::size_t>(found - config_names.begin())];
}

NcclTopology nccl_topology(const NcclConfig& config, const Extents& mesh_shape, int mesh_dim) {
    config.validate();
    const int dims = static_cast<int>(mesh_shape.size());
    if (mesh_dim < 0 || mesh_dim >= dims)
        throw InputError("mesh dimension " + std::to_string(mesh_dim),
                         "the mesh has " + std::to_string(dims) + " dimensions, counted from 0");
    if (const auto bad = std::ranges::find_if(mesh_shape, [](std::int64_t size) { return size < 1; });
        bad != mesh_shape.end())
        throw InputError("mesh shape", "a mesh dimension has at least one rank, not " + grouped_count(*bad));

    const std::int64_t ranks = mesh_shape[static_cast<std::size_t>(mesh_dim)];
    // Only whether a node holds later dimensions several times matters, so the product may stop at a node's size.
    std::int64_t later_ranks = 1;
    for (std::size_t dim = static_cast<std::size_t>(mesh_dim) + 1; dim < mesh_shape.size(); ++dim)
        if (later_ranks <= config.gpus_per_node) later_ranks *= std::min(mesh_shape[dim], config.gpus_per_node + 1);
    const std::int64_t ranks_per_node = std::max<std::int64_t>(1, std::min(config.gpus_per_node / later_ranks, ranks));
    return {.config = config,
            .ranks = ranks,
            .nodes = ranks / ranks_per_node,
            .ranks_per_node = ranks_per_node,
            .intra_node_bandwidth = config.intra_node_bandwidth / config.channels,
            .inter_node_bandwidth = config.inter_node_bandwidth / config.channels};
}

}  // namespace overlap
