#include "core/mesh/nccl/nccl_cost_model.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/mesh/nccl/nccl_algorithm_time.h"
#include "core/mesh/nccl/nccl_all_to_all.h"
#include "core/mesh/nccl/nccl_factors.h"

namespace overlap {
namespace {

using nccl_tables::LatencyAndBandwidth;

constexpr double infinite = std::numeric_limits<double>::infinity();

double bandwidth_scale(const NcclConfig& config) {
    return config.architecture == NcclArchitecture::blackwell ? nccl_tables::blackwell_bandwidth_scale : 1.0;
}

/// Within one NVSwitch, as nccl-tests measured at 2, 4 and 8 ranks.
double within_switch_us(const NcclTopology& topology, CollectiveKind collective, std::int64_t bytes) {
    const bool reduces_all = collective == CollectiveKind::all_reduce;
    const auto& bandwidths =
        reduces_all ? nccl_tables::switch_all_reduce_bandwidth : nccl_tables::switch_gather_bandwidth;
    const auto& latencies = reduces_all ? nccl_tables::switch_all_reduce_latency : nccl_tables::switch_gather_latency;
    const double bandwidth = interpolated_value(bandwidths, topology.ranks) * bandwidth_scale(topology.config);
    return interpolated_value(latencies, topology.ranks) + static_cast<double>(bytes) / (1000.0 * bandwidth);
}

double time_of(const NcclTopology& topology, const LatencyAndBandwidth& measured, double factor, std::int64_t bytes) {
    return measured.latency_us +
           static_cast<double>(bytes) / (1000.0 * (measured.bandwidth * bandwidth_scale(topology.config) * factor));
}

/// Rings that use every GPU of their nodes start slowly; far beyond the fitted sizes the tuning's bandwidth is right.
double measured_ring_factor(const NcclTopology& topology, std::int64_t bytes) {
    const std::int64_t bytes_per_rank = bytes / topology.ranks;
    const auto& factors = nccl_tables::whole_nodes_ring_factors;
    const bool is_fitted = static_cast<std::size_t>(floor_log2(bytes_per_rank >> 6)) < factors.size();
    const bool uses_whole_nodes = topology.ranks_per_node == topology.config.gpus_per_node;
    return uses_whole_nodes && is_fitted ? interpolated_factor(factors, bytes_per_rank) : 1.0;
}

/// The fastest protocol of one algorithm by NCCL's tuning.
double fastest_protocol_us(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                           std::int64_t bytes) {
    double fastest = infinite;
    for (const NcclProtocol protocol : nccl_protocols)
        fastest = std::min(fastest, nccl_algorithm_time_us(topology, collective, algorithm, protocol, bytes));
    return fastest;
}

std::optional<double> measured_gather_us(const NcclTopology& topology, std::int64_t bytes) {
    const auto* row = nccl_tables::find_gather_ring(topology.nodes, topology.ranks_per_node);
    if (row == nullptr) return std::nullopt;
    const double factor = measured_ring_factor(topology, bytes);
    double fastest = infinite;
    for (const LatencyAndBandwidth& measured : row->by_protocol)
        fastest = std::min(fastest, time_of(topology, measured, factor, bytes));
    return fastest;
}

/// Trees as measured. The tuning's bandwidth of rings is too high for many nodes, so theirs is the corrected one.
std::optional<double> measured_all_reduce_us(const NcclTopology& topology, std::int64_t bytes) {
    const auto* tree = nccl_tables::find_all_reduce_tree(topology.nodes, topology.ranks_per_node);
    if (tree == nullptr) return std::nullopt;
    double fastest = fastest_protocol_us(topology, CollectiveKind::all_reduce, NcclAlgorithm::ring, bytes);
    for (const NcclProtocol protocol : nccl_protocols)
        fastest = std::min(fastest, time_of(topology, tree->by_protocol[nccl_tables::at(protocol)],
                                            tree_factor(protocol, bytes, 23), bytes));
    const auto* nvls_tree = nccl_tables::find_all_reduce_nvls_tree(topology.nodes, topology.ranks_per_node);
    if (nvls_tree == nullptr) return fastest;
    const double factor = interpolated_factor(nccl_tables::nvls_tree_factors, bytes / topology.ranks);
    return std::min(fastest, time_of(topology, nvls_tree->by_protocol.front(), factor, bytes));
}

/// What NCCL would choose by its tuning alone.
double fastest_algorithm_us(const NcclTopology& topology, CollectiveKind collective, std::int64_t bytes) {
    const NcclConfig& config = topology.config;
    const auto with = [&](NcclAlgorithm algorithm) {
        return fastest_protocol_us(topology, collective, algorithm, bytes);
    };
    double fastest = std::min(with(NcclAlgorithm::ring), with(NcclAlgorithm::tree));
    if (config.has_collnet)
        fastest = std::min({fastest, with(NcclAlgorithm::collnet_direct), with(NcclAlgorithm::collnet_chain)});
    if (config.is_switched_hopper()) fastest = std::min(fastest, with(NcclAlgorithm::nvls));
    if (config.is_switched_hopper() && topology.nodes > 1) fastest = std::min(fastest, with(NcclAlgorithm::nvls_tree));
    return fastest;
}

}  // namespace

double nccl_time_us(const NcclTopology& topology, CollectiveKind collective, std::int64_t bytes) {
    if (bytes < 0) throw InputError("bytes of a collective", "must not be negative, not " + grouped_count(bytes));
    if (collective == CollectiveKind::all_to_all) return nccl_all_to_all_time_us(topology, bytes);
    const bool reduces_all = collective == CollectiveKind::all_reduce;
    if (!reduces_all && collective != CollectiveKind::all_gather && collective != CollectiveKind::reduce_scatter)
        throw InputError(std::string(collective_kind_name(collective)), "the NCCL model has no such collective");

    if (topology.config.is_switched_hopper()) {
        if (topology.nodes == 1) return within_switch_us(topology, collective, bytes);
        if (const std::optional<double> measured =
                reduces_all ? measured_all_reduce_us(topology, bytes) : measured_gather_us(topology, bytes))
            return *measured;
    }
    return topology.ranks == 1 ? 0.0 : fastest_algorithm_us(topology, collective, bytes);
}

}  // namespace overlap
