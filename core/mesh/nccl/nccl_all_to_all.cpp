#include "core/mesh/nccl/nccl_all_to_all.h"

#include <algorithm>

#include "core/mesh/nccl/nccl_algorithm_time.h"
#include "core/mesh/nccl/nccl_factors.h"

namespace overlap {
namespace {

using nccl_tables::at;

/// Pieces of medium size do not keep a network card busy; more nodes send more of them at once.
double network_card_factor(std::int64_t nodes, std::int64_t bytes_per_rank) {
    const auto entry = static_cast<std::size_t>(floor_log2(bytes_per_rank >> 6));
    if (entry >= nccl_tables::network_card_factors.size()) return 1.0;
    const double factor = nccl_tables::network_card_factors[entry];
    const int depth = floor_log2(nodes);
    return depth > 1 && factor < 1.0 ? 1.0 - (1.0 - factor) / depth : factor;
}

double between_switched_nodes_us(const NcclTopology& topology, std::int64_t bytes) {
    const auto ranks = static_cast<double>(topology.ranks);
    const double remote = (ranks - static_cast<double>(topology.ranks_per_node)) / ranks;
    const double card = topology.config.inter_node_bandwidth *
                        (1.0 - nccl_tables::network_card_overhead / static_cast<double>(topology.nodes));
    return interpolated_value(nccl_tables::network_all_to_all_latency, topology.nodes) +
           static_cast<double>(bytes) * remote /
               (1000.0 * card * network_card_factor(topology.nodes, bytes / topology.ranks));
}

double by_ring_steps_us(const NcclTopology& topology, std::int64_t bytes) {
    const double link = topology.nodes <= 2 ? topology.intra_node_bandwidth : topology.inter_node_bandwidth;
    const double bandwidth = topology.config.channels * link * nccl_tables::ring_all_to_all_efficiency;
    const std::size_t ring = at(NcclAlgorithm::ring), simple = at(NcclProtocol::simple);
    const double overhead = topology.nodes > 1 ? 3 * nccl_tables::network_overhead : 0.0;
    const double within = std::max(nccl_tables::nvlink_latency[ring][simple], overhead);
    const std::int64_t network_steps = topology.nodes - 1;
    return nccl_tables::base_latency[ring][simple] + static_cast<double>(topology.ranks - network_steps) * within +
           static_cast<double>(network_steps) *
               nccl_network_step_us(topology, NcclAlgorithm::ring, NcclProtocol::simple) +
           static_cast<double>(bytes) / (1000.0 * bandwidth);
}

}  // namespace

double nccl_all_to_all_time_us(const NcclTopology& topology, std::int64_t bytes) {
    if (topology.config.is_switched_hopper() && topology.nodes == 1)
        return nccl_tables::copy_engine_latency +
               static_cast<double>(bytes) /
                   (1000.0 * nccl_tables::copy_engine_bandwidth[at(topology.config.architecture)]);
    if (topology.config.has_nvswitch && topology.nodes > 1) return between_switched_nodes_us(topology, bytes);
    return by_ring_steps_us(topology, bytes);
}

}  // namespace overlap
