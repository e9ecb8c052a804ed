#pragma once

#include <cstdint>

#include "core/graph/operator_traits.h"
#include "core/mesh/nccl/nccl_config.h"
#include "core/mesh/nccl/nccl_tables.h"

namespace overlap {

/// NCCL's own tuning (src/graph/tuning.cc) as autoparallel/cost_models/nccl_cost_model.py restates it, with its
/// corrections for rings and for NVSwitches between nodes. `collective` is all_gather, reduce_scatter or all_reduce;
/// the topology has at least two ranks.

/// Bytes of the operation over the time that they take, in GB/s; 0 where the algorithm cannot do the collective.
double nccl_algorithm_bandwidth(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                                NcclProtocol protocol);

/// Microseconds of an empty operation.
double nccl_algorithm_latency_us(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                                 NcclProtocol protocol);

/// Microseconds of an operation; infinite where the algorithm cannot do the collective.
/// @param bytes of the gathered, the not yet scattered or the reduced tensor of one rank.
double nccl_algorithm_time_us(const NcclTopology& topology, CollectiveKind collective, NcclAlgorithm algorithm,
                              NcclProtocol protocol, std::int64_t bytes);

/// Whether NCCL takes a multi-node all_reduce of this size over a Simple ring for one at its plateau.
/// Latencies are then 1.4 times as long.
bool is_ring_plateau(const NcclTopology& topology, std::int64_t bytes);

/// Latency of a step that leaves the node.
double nccl_network_step_us(const NcclTopology& topology, NcclAlgorithm algorithm, NcclProtocol protocol);

}  // namespace overlap
