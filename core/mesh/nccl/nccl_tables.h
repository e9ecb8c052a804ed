#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace overlap {

/// Constants of autoparallel's NCCL model (autoparallel/cost_models/nccl_cost_model.py): those of NCCL's own tuning
/// (src/graph/tuning.cc) and those fitted to nccl-tests on H100 machines. Latencies in microseconds,
/// bandwidths in GB/s, 1 GB = 10^9 bytes.

enum class NcclAlgorithm : std::uint8_t { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree };
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };

/// The protocols in their order; also the columns of the tables below.
inline constexpr std::array<NcclProtocol, 3> nccl_protocols = {NcclProtocol::ll, NcclProtocol::ll128,
                                                               NcclProtocol::simple};

namespace nccl_tables {

template <typename Enum>
constexpr std::size_t at(Enum value) {
    return static_cast<std::size_t>(value);
}

using ByProtocol = std::array<double, 3>;
using ByAlgorithmAndProtocol = std::array<ByProtocol, 6>;

// tuning.cc: rows are algorithms, columns protocols.
inline constexpr ByAlgorithmAndProtocol base_latency = {
    {{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
inline constexpr ByAlgorithmAndProtocol nvlink_latency = {
    {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 25.0}, {0, 0, 25.0}}};
inline constexpr ByAlgorithmAndProtocol network_latency = {
    {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}, {0, 0, 31.0}, {0, 0, 30.0}, {0, 0, 18.0}, {0, 0, 20.9}}};
inline constexpr double network_overhead = 1.0;

// tuning.cc: rows are architectures, columns one node, two nodes, more.
using ByArchitectureAndNodes = std::array<std::array<double, 3>, 3>;
inline constexpr ByArchitectureAndNodes ll_bandwidth_limit = {
    {{87.7, 39.0, 20.4}, {141.0, 39.0, 20.4}, {282.0, 39.0, 20.4}}};
inline constexpr ByArchitectureAndNodes channel_tree_limit = {
    {{24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
inline constexpr ByArchitectureAndNodes channel_nvls_tree_limit = {
    {{24.0, 23.6, 17.8}, {0.0, 57.7, 45.5}, {0.0, 96.0, 43.8}}};
inline constexpr ByArchitectureAndNodes channel_ring_ll128_limit = {
    {{20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
inline constexpr ByArchitectureAndNodes channel_tree_ll128_limit = {
    {{20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};
inline constexpr std::array<double, 3> nvls_efficiency = {0.0, 0.85, 0.74};  // by architecture

/// Factors on a bandwidth by size: entry i is for 2^i times 64 bytes.
using SizeFactors = std::array<double, 24>;

// tuning.cc, by protocol; of the bytes of the whole operation.
inline constexpr std::array<SizeFactors, 3> tree_factors = {
    {{1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
      0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0},
     {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
      0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0},
     {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
      0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9}}};

// Fitted to nccl-tests; of the bytes of one rank.
inline constexpr SizeFactors ring_factors = {1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0, 1.0, 1.0, 1.0, 0.10,
                                             0.18, 0.30, 0.43, 0.63, 0.55, 0.78, 0.93, 1.0, 1.0, 1.0, 1.0, 1.0};
inline constexpr SizeFactors nvls_tree_factors = {1.0,  1.0,  1.0,  1.0,  1.0, 1.0, 1.0, 1.0, 0.10, 0.10, 0.15, 0.28,
                                                  0.41, 0.55, 0.72, 0.88, 1.0, 1.0, 1.0, 1.0, 1.0,  1.0,  1.0,  1.0};
inline constexpr SizeFactors whole_nodes_ring_factors = {0.01, 0.02, 0.03, 0.06, 0.10, 0.16, 0.25, 0.36,
                                                         0.68, 0.68, 0.68, 0.68, 0.68, 0.68, 0.68, 0.68,
                                                         0.68, 0.68, 0.79, 0.87, 0.87, 0.87, 0.87, 0.87};
inline constexpr SizeFactors network_card_factors = {1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0,
                                                     0.28, 0.28, 0.35, 0.43, 0.62, 0.71, 0.82, 0.89,
                                                     0.92, 0.95, 1.0,  1.0,  1.0,  1.0,  1.0,  1.0};
inline constexpr double ring_synchronisation_per_node = 4.7;

/// A measured value at a number of ranks or nodes; linear between points, constant outside them.
struct Point {
    std::int64_t count;
    double value;
};

// Fitted to nccl-tests: collectives within one NVSwitch, by ranks.
inline constexpr std::array<Point, 3> switch_gather_bandwidth = {{{2, 537.0}, {4, 434.0}, {8, 394.0}}};
inline constexpr std::array<Point, 3> switch_gather_latency = {{{2, 8.0}, {4, 17.0}, {8, 30.0}}};
inline constexpr std::array<Point, 3> switch_all_reduce_bandwidth = {{{2, 324.0}, {4, 236.0}, {8, 267.0}}};
inline constexpr std::array<Point, 3> switch_all_reduce_latency = {{{2, 10.0}, {4, 15.0}, {8, 31.0}}};
inline constexpr double blackwell_bandwidth_scale = 2.0;

// Fitted to nccl-tests: all-to-all, by copy engines within one NVSwitch and through the network between nodes.
inline constexpr double copy_engine_latency = 50.0;
inline constexpr std::array<double, 3> copy_engine_bandwidth = {0.0, 380.0, 675.0};  // by architecture
inline constexpr std::array<Point, 5> network_all_to_all_latency = {
    {{2, 37.0}, {4, 42.0}, {8, 60.0}, {16, 98.0}, {32, 290.0}}};
inline constexpr double network_card_overhead = 0.44;
inline constexpr double ring_all_to_all_efficiency = 0.7;

/// What NCCL's tuning gives an algorithm under one protocol.
struct LatencyAndBandwidth {
    double latency_us;
    double bandwidth;
};

/// A row of what the tuning finds on H100 machines: one entry a protocol, or one for Simple alone.
template <std::size_t entries>
struct MeasuredRow {
    std::int64_t nodes;
    std::int64_t ranks_per_node;
    std::array<LatencyAndBandwidth, entries> by_protocol;
};

/// Rings of all_gather and reduce_scatter; trees and NVLS trees of all_reduce. Null where nothing was measured.
const MeasuredRow<3>* find_gather_ring(std::int64_t nodes, std::int64_t ranks_per_node);
const MeasuredRow<3>* find_all_reduce_tree(std::int64_t nodes, std::int64_t ranks_per_node);
const MeasuredRow<1>* find_all_reduce_nvls_tree(std::int64_t nodes, std::int64_t ranks_per_node);

}  // namespace nccl_tables
}  // namespace overlap
