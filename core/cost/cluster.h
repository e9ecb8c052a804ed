#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace overlap {

/// The machines of a job, as far as its collectives depend on them: equal hosts, whose ranks follow one another, with a
/// switch between their GPUs and network cards. Rates are those of data sheets, in bytes a second in one direction.
struct Cluster {
    std::int64_t gpus_per_host = 8;
    double gpu_link_bytes_per_s = 0;  ///< of one GPU to all others of its host: NVLink, xGMI
    /// The share of it that gathers and scatters of large tensors reach.
    double gpu_link_efficiency = 0.8;
    /// Whether the GPUs of a host meet in a switch. If not, each has a link of equal rate to each other, and a group of
    /// few uses few of them.
    bool switched = true;
    /// What all-reduces within a host reach where its switch reduces (NVLink SHARP): bytes of the tensor a second, as a
    /// share of `gpu_link_bytes_per_s`. 0: it does not reduce.
    double switch_reduction = 0;
    std::int64_t cards_per_host = 8;
    double card_bytes_per_s = 0;    ///< of one network card
    double card_efficiency = 0.9;   ///< the share of it that large tensors reach
    double network_latency_us = 0;  ///< of a message between hosts, beyond what InfiniBand takes
    double oversubscription = 1;    ///< of the network above the hosts: 2 has half of what the cards could send

    bool operator==(const Cluster&) const = default;
};

/// How a process group lies in a cluster.
struct GroupPlacement {
    std::int64_t ranks = 1;
    std::int64_t hosts = 1;
    std::int64_t ranks_per_host = 1;  ///< the most that one host has
};

GroupPlacement place_group(const Cluster& cluster, const ProcessGroup& group);

/// What each kind of collective takes over a process group of this cluster, by the structure of NCCL's own tuning: a
/// ring, for all-reduces also a tree and the switch, each with the protocols LL, LL128 and Simple, of which the fastest
/// counts (NCCL, src/graph/tuning.cc). Groups that lie beside one another in a host have a network card each, or a
/// share of one. Constants and what they were compared with: core/cost/README.md.
CostParameters::Link link_in(const Cluster& cluster, const ProcessGroup& group);

}  // namespace overlap
