#include "core/cost/cluster.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>

namespace overlap {
namespace {

using Rate = CostParameters::LinkRate;
using Rates = std::vector<Rate>;

constexpr double ms_per_us = 1e-3;

/// One of NCCL's protocols on one of its algorithms. Latencies in microseconds: of the operation, of a step between
/// neighbours within a host, of one between hosts (src/graph/tuning.cc). Bandwidth as a share of the links'.
struct Protocol {
    double base_us, host_step_us, network_step_us;
    double host_share, network_share;
};

constexpr std::array<Protocol, 3> ring_protocols = {{
    {6.6, 0.6, 2.7, 0.40, 0.25},   // LL
    {14.0, 1.9, 4.0, 0.92, 0.92},  // LL128
    {8.4, 3.4, 14.0, 1.0, 1.0},    // Simple
}};
/// A tree over hosts, with the share that tensors of some hundred MB reach, for which NCCL takes it.
constexpr Protocol tree_protocol = {8.4, 4.0, 14.0, 0.42, 0.42};

/// A reduction in the switch: small tensors start sooner, large ones move faster.
struct SwitchWay {
    double latency_us, share;
};
constexpr std::array<SwitchWay, 2> switch_ways = {{{30.0, 0.72}, {65.0, 1.0}}};
constexpr double switch_network_step_us = 18.0;
/// Ranks of a host from which NCCL reduces in the switch.
constexpr std::int64_t least_switched_ranks = 4;
/// Every rank of an all-to-all sends to every other.
constexpr double exchange_base_us = 25.0, exchange_per_rank_us = 1.0;

/// Of a group whose ranks the graph does not list.
constexpr double unknown_group_latency_us = 30.0;

/// The links of a cluster as one process group has them.
struct GroupLinks {
    GroupPlacement placed;
    double host;     ///< bytes a second along a ring within a host
    double network;  ///< bytes a second between hosts, by all ranks of a host together
    double network_latency_us;

    bool crosses_hosts() const { return placed.hosts > 1; }
    /// Along a ring through everything, bounded by its slowest part.
    double ring(const Protocol& protocol) const {
        const double within =
            placed.ranks_per_host > 1 ? host * protocol.host_share : std::numeric_limits<double>::infinity();
        return crosses_hosts() ? std::min(within, network * protocol.network_share) : within;
    }
};

GroupLinks links_of(const Cluster& cluster, const GroupPlacement& placed) {
    const double cards = static_cast<double>(cluster.cards_per_host) * static_cast<double>(placed.ranks_per_host) /
                         static_cast<double>(cluster.gpus_per_host);
    const double used =
        cluster.switched || placed.ranks_per_host < 2 || cluster.gpus_per_host < 2
            ? 1
            : static_cast<double>(placed.ranks_per_host - 1) / static_cast<double>(cluster.gpus_per_host - 1);
    return {placed, cluster.gpu_link_bytes_per_s * cluster.gpu_link_efficiency * used,
            cards * cluster.card_bytes_per_s * cluster.card_efficiency / cluster.oversubscription,
            cluster.network_latency_us};
}

/// A bandwidth on the bus counts each byte as often as it crosses a link: `crossings` times for each byte of the whole
/// tensor.
Rate rate_of(double latency_us, double bus_bytes_per_s, double crossings) {
    return {latency_us * ms_per_us, bus_bytes_per_s / crossings};
}

/// @param rounds how often data goes around the ring: once to gather or to scatter, twice to reduce for all.
Rates ring_rates(const GroupLinks& links, double rounds) {
    const auto ranks = static_cast<double>(links.placed.ranks), hosts = static_cast<double>(links.placed.hosts);
    const double network_steps = rounds * (hosts - 1);
    const double host_steps = rounds * (ranks - 1) - network_steps;
    Rates rates;
    for (const Protocol& protocol : ring_protocols) {
        const double latency_us = protocol.base_us + host_steps * protocol.host_step_us +
                                  network_steps * (protocol.network_step_us + links.network_latency_us);
        rates.push_back(rate_of(latency_us, links.ring(protocol), rounds * (ranks - 1) / ranks));
    }
    return rates;
}

/// Up a tree of hosts and down again, within a host along a chain.
void add_tree_rate(const GroupLinks& links, Rates& rates) {
    if (!links.crosses_hosts()) return;
    const auto ranks = static_cast<double>(links.placed.ranks);
    const double depth = std::bit_width(static_cast<std::uint64_t>(links.placed.hosts)) - 1;
    const double latency_us =
        tree_protocol.base_us + 2 * (static_cast<double>(links.placed.ranks_per_host - 1) * tree_protocol.host_step_us +
                                     depth * (tree_protocol.network_step_us + links.network_latency_us));
    rates.push_back(rate_of(latency_us, links.ring(tree_protocol), 2 * (ranks - 1) / ranks));
}

/// The switch reduces within a host; two hosts exchange what theirs have reduced. More of them would move as much over
/// the network as along a ring.
void add_switch_rates(const Cluster& cluster, const GroupLinks& links, Rates& rates) {
    if (links.placed.ranks_per_host < least_switched_ranks || links.placed.hosts > 2) return;
    for (const SwitchWay& way : switch_ways) {
        double bytes_per_s = cluster.gpu_link_bytes_per_s * cluster.switch_reduction * way.share;
        double latency_us = way.latency_us;
        if (links.crosses_hosts()) {
            bytes_per_s = std::min(bytes_per_s, links.network);
            latency_us += 2 * (switch_network_step_us + 2 * links.network_latency_us);
        }
        if (bytes_per_s > 0) rates.push_back(rate_of(latency_us, bytes_per_s, 1));
    }
}

/// Each rank sends an equal part of its tensor to every rank, through its card or within its host.
Rates exchange_rates(const GroupLinks& links) {
    const auto ranks = static_cast<double>(links.placed.ranks);
    const auto in_host = static_cast<double>(links.placed.ranks_per_host);
    const double of_rank = links.network / in_host;
    double s_per_byte = (in_host - 1) / ranks / links.host;
    if (links.crosses_hosts()) s_per_byte = std::max(s_per_byte, (ranks - in_host) / ranks / of_rank);
    return {{(exchange_base_us + exchange_per_rank_us * ranks) * ms_per_us, 1 / s_per_byte}};
}

}  // namespace

GroupPlacement place_group(const Cluster& cluster, const ProcessGroup& group) {
    std::map<std::int64_t, std::int64_t> ranks_of_host;
    for (const int rank : group.ranks) ++ranks_of_host[rank / cluster.gpus_per_host];
    GroupPlacement placed;
    placed.ranks = std::max<std::int64_t>(1, static_cast<std::int64_t>(group.ranks.size()));
    placed.hosts = std::max<std::int64_t>(1, static_cast<std::int64_t>(ranks_of_host.size()));
    for (const auto& [host, ranks] : ranks_of_host) placed.ranks_per_host = std::max(placed.ranks_per_host, ranks);
    return placed;
}

CostParameters::Link link_in(const Cluster& cluster, const ProcessGroup& group) {
    const GroupPlacement placed = place_group(cluster, group);
    CostParameters::Link link;
    link.process_group = group.name;
    if (group.ranks.empty()) {  // where its ranks are is not known: one on each of its hosts
        link.latency_ms = unknown_group_latency_us * ms_per_us;
        link.bytes_per_s = cluster.card_bytes_per_s * cluster.card_efficiency / cluster.oversubscription;
        return link;
    }
    if (placed.ranks == 1) {  // a copy within the device
        link.bytes_per_s = cluster.gpu_link_bytes_per_s;
        return link;
    }
    const GroupLinks links = links_of(cluster, placed);
    const Rates once = ring_rates(links, 1);
    Rates all_reduce = ring_rates(links, 2);
    add_tree_rate(links, all_reduce);
    add_switch_rates(cluster, links, all_reduce);
    link.latency_ms = once.back().latency_ms;
    link.bytes_per_s = once.back().bytes_per_s;
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::broadcast}) {
        link.kinds[kind] = once;
    }
    link.kinds[CollectiveKind::all_reduce] = std::move(all_reduce);
    link.kinds[CollectiveKind::all_to_all] = exchange_rates(links);
    return link;
}

}  // namespace overlap
