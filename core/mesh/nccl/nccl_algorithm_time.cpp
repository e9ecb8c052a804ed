#include "core/mesh/nccl/nccl_algorithm_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mesh/nccl/nccl_factors.h"

namespace overlap {
namespace {

using nccl_tables::at;

/// Number of one-neighbour steps of a ring.
std::int64_t ring_steps(std::int64_t ranks, CollectiveKind collective) {
    return collective == CollectiveKind::all_reduce ? 2 * (ranks - 1) : ranks - 1;
}

/// Column of the tables by architecture and nodes.
std::size_t node_column(std::int64_t nodes) {
    return nodes <= 1 ? 0 : nodes == 2 ? 1 : 2;
}

double limit(const nccl_tables::ByArchitectureAndNodes& table, const NcclTopology& topology) {
    return table[at(topology.config.architecture)][node_column(topology.nodes)];
}

/// Between nodes a rank has its own network card; behind an NVSwitch those of all ranks of its node.
double network_bandwidth(const NcclTopology& topology) {
    if (!topology.config.has_nvswitch || topology.nodes <= 1) return topology.inter_node_bandwidth;
    return std::min(topology.intra_node_bandwidth,
                    topology.inter_node_bandwidth * static_cast<double>(topology.ranks_per_node));
}

/// One channel of a ring, a tree or a chain. NCCL takes two nodes to be bound by the links within them.
double link_bandwidth(const NcclTopology& topology) {
    return topology.nodes <= 2 ? topology.intra_node_bandwidth : network_bandwidth(topology);
}

/// One channel of NVLink SHARP, whose switch takes part as another rank.
double switch_bandwidth(const NcclTopology& topology) {
    const double channels = topology.config.channels;
    const double efficiency = nccl_tables::nvls_efficiency[at(topology.config.architecture)];
    return topology.intra_node_bandwidth * efficiency * (channels - 1) / channels;
}

double ring_bandwidth(const NcclTopology& topology, NcclProtocol protocol) {
    const double channels = topology.config.channels;
    const double raw = channels * link_bandwidth(topology);
    switch (protocol) {
        case NcclProtocol::ll:
            return std::min(limit(nccl_tables::ll_bandwidth_limit, topology), raw * 0.5);
        case NcclProtocol::ll128:
            return std::min(raw * 0.92, channels * limit(nccl_tables::channel_ring_ll128_limit, topology));
        case NcclProtocol::simple:
            return raw;
    }
    return 0.0;
}

double tree_bandwidth(const NcclTopology& topology, NcclProtocol protocol) {
    const double channels = topology.config.channels;
    const double raw = std::min(channels * link_bandwidth(topology) * 0.92,
                                channels * limit(nccl_tables::channel_tree_limit, topology));
    switch (protocol) {
        case NcclProtocol::ll:
            return std::min(raw / 3.8, limit(nccl_tables::ll_bandwidth_limit, topology));
        case NcclProtocol::ll128:
            return std::min(raw * (topology.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                            channels * limit(nccl_tables::channel_tree_ll128_limit, topology));
        case NcclProtocol::simple:
            return raw;
    }
    return 0.0;
}

double nvls_bandwidth(const NcclTopology& topology, bool reduces_all) {
    if (topology.config.channels < 2) return 0.0;
    if (!reduces_all && topology.nodes > 1 && !topology.config.has_collnet) return 0.0;
    const auto ranks_per_node = static_cast<double>(topology.ranks_per_node);
    const double within = switch_bandwidth(topology) * (reduces_all ? 2.0 : (ranks_per_node - 1) / ranks_per_node);
    return topology.config.channels * (topology.nodes > 1 ? std::min(within, topology.inter_node_bandwidth) : within);
}

double nvls_tree_bandwidth(const NcclTopology& topology) {
    if (topology.config.channels < 2) return 0.0;
    const double between = network_bandwidth(topology) * (topology.nodes <= 2 ? 2 : 1);
    return topology.config.channels *
           std::min({switch_bandwidth(topology) * 2.0, between, limit(nccl_tables::channel_nvls_tree_limit, topology)});
}

double collnet_direct_bandwidth(const NcclTopology& topology, bool reduces_all) {
    const double channels = topology.config.channels;
    const auto ranks_per_node = static_cast<double>(topology.ranks_per_node);
    if (!reduces_all)
        return ranks_per_node *
               std::min(topology.intra_node_bandwidth * channels, topology.inter_node_bandwidth * channels * 0.9);
    double share = ranks_per_node / channels;
    share -= (share - 1) / 2;
    const double penalty = topology.config.architecture == NcclArchitecture::ampere ? 1.0 : 0.85;
    return channels * link_bandwidth(topology) / share * penalty;
}

double ring_latency_us(const NcclTopology& topology, CollectiveKind collective, NcclProtocol protocol) {
    const double overhead = topology.nodes == 1                ? 0.0
                            : protocol == NcclProtocol::simple ? 3 * nccl_tables::network_overhead
                                                               : nccl_tables::network_overhead;
    const double within = std::max(nccl_tables::nvlink_latency[at(NcclAlgorithm::ring)][at(protocol)], overhead);
    const std::int64_t network_steps = ring_steps(topology.nodes, collective);
    const double latency =
        nccl_tables::base_latency[at(NcclAlgorithm::ring)][at(protocol)] +
        static_cast<double>(ring_steps(topology.ranks, collective) - network_steps) * within +
        static_cast<double>(network_steps) * nccl_network_step_us(topology, NcclAlgorithm::ring, protocol);
    if (topology.nodes == 1) return latency;
    const auto nodes = static_cast<double>(topology.nodes);
    const double depth = topology.nodes > 4 ? std::pow(nodes / 4, 0.65) : 1.0;
    return latency + nccl_tables::ring_synchronisation_per_node * nodes * depth;
}

}  // namespace

double nccl_network_step_us(const NcclTopology& topology, NcclAlgorithm algorithm, NcclProtocol protocol) {
    const NcclAlgorithm row = topology.ranks_per_node == 1 ? NcclAlgorithm::tree : algorithm;
    const double net_latency_us = topology.config.net_latency_us;
    const double step = nccl_tables::network_latency[at(row)][at(protocol)] + net_latency_us;
    return protocol == NcclProtocol::simple ? step + net_latency_us : step;  // Simple flushes what it received
}

double nccl_algorithm_bandwidth(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                                NcclProtocol protocol) {
    const bool reduces_all = collective == CollectiveKind::all_reduce;
    const bool any_protocol = algorithm == NcclAlgorithm::ring || algorithm == NcclAlgorithm::tree;
    if (!any_protocol && protocol != NcclProtocol::simple) return 0.0;
    // A bus bandwidth counts each byte as often as it crosses a link; these are the bytes of the operation for it.
    const double ring_ratio =
        static_cast<double>(topology.ranks) / static_cast<double>(ring_steps(topology.ranks, collective));
    switch (algorithm) {
        case NcclAlgorithm::ring:
            return ring_bandwidth(topology, protocol) * ring_ratio;
        case NcclAlgorithm::tree:
            return reduces_all ? tree_bandwidth(topology, protocol) * 0.5 : 0.0;
        case NcclAlgorithm::nvls:
            return nvls_bandwidth(topology, reduces_all) * (reduces_all ? ring_ratio : 1.0);
        case NcclAlgorithm::nvls_tree:
            return reduces_all ? nvls_tree_bandwidth(topology) * ring_ratio : 0.0;
        case NcclAlgorithm::collnet_direct:
            return collnet_direct_bandwidth(topology, reduces_all) * (reduces_all ? 0.5 : 1.0);
        case NcclAlgorithm::collnet_chain:
            return reduces_all ? topology.config.channels * link_bandwidth(topology) * 0.5 : 0.0;
    }
    return 0.0;
}

double nccl_algorithm_latency_us(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                                 NcclProtocol protocol) {
    const double base = nccl_tables::base_latency[at(algorithm)][at(protocol)];
    const double within = nccl_tables::nvlink_latency[at(algorithm)][at(protocol)];
    const double between = nccl_network_step_us(topology, algorithm, protocol);
    const double tree_depth = floor_log2(topology.nodes);
    const auto others_of_node = static_cast<double>(topology.ranks_per_node - 1);
    switch (algorithm) {
        case NcclAlgorithm::ring:
            return ring_latency_us(topology, collective, protocol);
        case NcclAlgorithm::tree:
            return base +
                   2 * (static_cast<double>(topology.ranks / topology.nodes - 1) * within + tree_depth * between);
        case NcclAlgorithm::nvls:
            return within + (topology.nodes > 1 ? between : 0.0);
        case NcclAlgorithm::nvls_tree:
            return base + within + 2 * tree_depth * between;
        case NcclAlgorithm::collnet_direct:
            return base + 2 * (std::min(1.0, others_of_node) * within + others_of_node * 0.4) + between;
        case NcclAlgorithm::collnet_chain:
            return base + 2 * others_of_node * within + between;
    }
    return 0.0;
}

bool is_ring_plateau(const NcclTopology& topology, std::int64_t bytes) {
    return topology.nodes > 1 &&
           static_cast<double>(bytes) / static_cast<double>(topology.config.channels * topology.ranks) >= 64;
}

double nccl_algorithm_time_us(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                              NcclProtocol protocol, std::int64_t bytes) {
    double bandwidth = nccl_algorithm_bandwidth(topology, collective, algorithm, protocol);
    if (bandwidth <= 0) return std::numeric_limits<double>::infinity();
    double latency = nccl_algorithm_latency_us(topology, collective, algorithm, protocol);
    if (algorithm == NcclAlgorithm::tree) bandwidth *= tree_factor(protocol, bytes, 23);
    if (algorithm == NcclAlgorithm::nvls_tree && topology.config.architecture == NcclArchitecture::blackwell)
        bandwidth *= tree_factor(protocol, bytes, 24);
    if (algorithm == NcclAlgorithm::ring && topology.nodes > 1) {
        bandwidth *= ring_factor(topology.nodes, bytes / topology.ranks);
        if (protocol == NcclProtocol::simple && collective == CollectiveKind::all_reduce &&
            is_ring_plateau(topology, bytes))
            latency *= 1.4;
    }
    return latency + static_cast<double>(bytes) / (1000.0 * bandwidth);
}

}  // namespace overlap
