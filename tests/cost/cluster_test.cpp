#include "core/cost/cluster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/cost_model.h"

namespace overlap {
namespace {

constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

Cluster h100() {
    return {.gpu_link_bytes_per_s = 450e9, .switch_reduction = 0.60, .card_bytes_per_s = 50e9};
}

ProcessGroup group_of(int ranks, int step = 1) {
    ProcessGroup group;
    for (int rank = 0; rank < ranks; ++rank) group.ranks.push_back(rank * step);
    return group;
}

/// 10^9 bytes a second on the bus, as nccl-tests counts them.
double bus_bandwidth(const Cluster& cluster, const ProcessGroup& group, CollectiveKind kind, std::int64_t bytes) {
    const auto ranks = static_cast<double>(group.ranks.size());
    const double crossings = (kind == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1) / ranks;
    return static_cast<double>(bytes) * crossings / collective_time_ms(link_in(cluster, group), kind, bytes) / 1e6;
}

TEST(Cluster, PlacesGroupsByTheirRanks) {
    const GroupPlacement strided = place_group(h100(), group_of(16, 4));
    EXPECT_EQ(strided.ranks, 16);
    EXPECT_EQ(strided.hosts, 8);
    EXPECT_EQ(strided.ranks_per_host, 2);
}

TEST(Cluster, LargeTensorsReachTheShareOfTheSlowestPart) {
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(8), CollectiveKind::all_gather, 8 * gibibyte), 360, 1);
    // Eight cards a host carry as much as its links to the switch reach along a ring; one carries 45 GB/s.
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(64), CollectiveKind::reduce_scatter, 8 * gibibyte), 360, 8);
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(8, 8), CollectiveKind::all_gather, 8 * gibibyte), 45, 0.5);
}

TEST(Cluster, WithoutASwitchFewRanksUseFewLinks) {
    Cluster cluster = h100();
    cluster.switched = false;
    cluster.switch_reduction = 0;
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(2), CollectiveKind::all_gather, 8 * gibibyte), 360.0 / 7, 0.1);
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8), CollectiveKind::all_gather, 8 * gibibyte), 360, 1);
    // One rank a host needs no links of it, and a host of one GPU has none.
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8, 8), CollectiveKind::all_gather, 8 * gibibyte), 45, 0.5);
    cluster.gpus_per_host = cluster.cards_per_host = 1;
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8), CollectiveKind::all_gather, 8 * gibibyte), 45, 0.5);
}

TEST(Cluster, AnOversubscribedNetworkCarriesLess) {
    Cluster cluster = h100();
    cluster.oversubscription = 2;
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8, 8), CollectiveKind::all_gather, 8 * gibibyte), 22.5, 0.5);
}

TEST(Cluster, GroupsThatShareACardHaveTheirPartOfIt) {
    Cluster cluster = h100();
    cluster.cards_per_host = 4;
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8, 8), CollectiveKind::all_gather, 8 * gibibyte), 22.5, 0.5);
}

TEST(Cluster, AllReducesMoveEachByteTwiceUnlessTheSwitchReduces) {
    Cluster cluster = h100();
    EXPECT_NEAR(bus_bandwidth(cluster, group_of(8), CollectiveKind::all_reduce, 8 * gibibyte), 472, 2);
    cluster.switch_reduction = 0;
    const CostParameters::Link link = link_in(cluster, group_of(8));
    EXPECT_NEAR(collective_time_ms(link, CollectiveKind::all_reduce, 8 * gibibyte),
                2 * collective_time_ms(link, CollectiveKind::all_gather, 8 * gibibyte), 0.1);
}

TEST(Cluster, MoreBytesNeverTakeLess) {
    for (const ProcessGroup& group : {group_of(2), group_of(8), group_of(64), group_of(32, 8)}) {
        const CostParameters::Link link = link_in(h100(), group);
        for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                          CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            double before_ms = 0;
            for (std::int64_t bytes = 64; bytes <= gibibyte; bytes *= 2) {
                const double time_ms = collective_time_ms(link, kind, bytes);
                EXPECT_GE(time_ms, before_ms)
                    << group.ranks.size() << " " << collective_kind_name(kind) << " " << bytes;
                before_ms = time_ms;
            }
        }
    }
}

TEST(Cluster, SmallTensorsTakeTheProtocolOfLeastLatency) {
    const CostParameters::Link link = link_in(h100(), group_of(8));
    const auto latency_ms = [&](std::int64_t bytes) {
        return collective_latency_ms(link, CollectiveKind::all_gather, bytes);
    };
    EXPECT_LT(latency_ms(1024), latency_ms(64 * mebibyte));
}

TEST(Cluster, ExchangesGoThroughOneCardARank) {
    const CostParameters::Link link = link_in(h100(), group_of(64));
    // 56 of 64 parts leave the host, through a card of 50 GB/s.
    EXPECT_NEAR(collective_time_ms(link, CollectiveKind::all_to_all, gibibyte), 1073.74 / 45 * 56 / 64 + 0.089, 0.01);
}

TEST(Cluster, AGroupOfOneTakesACopy) {
    EXPECT_EQ(collective_latency_ms(link_in(h100(), group_of(1)), CollectiveKind::all_gather, mebibyte), 0);
}

/// What is known of a machine of the published rows.
Cluster machine(const std::string& name) {
    const std::string device = name.substr(0, name.find('_'));
    for (const NamedCostModel& model : built_in_cost_models()) {
        if (!model.name.starts_with(device)) continue;
        Cluster cluster = *model.cluster;
        constexpr double elastic_fabric_us = 24;  // Amazon's EFA, and what Google has in its place
        if (name == "h100_p5" || name == "h200_p5en" || name == "h100_a3mega")
            cluster.network_latency_us = elastic_fabric_us;
        if (name == "h100_a3mega") cluster.card_bytes_per_s = 25e9;
        return cluster;
    }
    return {};
}

/// How far predictions may be off, as a share. NCCL's choice by size loses up to a fifth between 256 MB and 2 GB on
/// several hosts, which the model does not follow; on the network of one machine sizes below 1 GB lose more.
double tolerance(const std::string& name, int hosts, std::int64_t bytes) {
    if (name == "h100_a3mega" && bytes < gibibyte) return 1.0;
    if (name == "a100_hgx" && bytes < 512 * mebibyte) return 0.26;
    return hosts > 1 && bytes <= 2 * gibibyte ? 0.26 : 0.15;
}

TEST(Cluster, ReachesTheBandwidthsThatOthersPublish) {
    std::ifstream file(OVERLAP_TEST_DATA "/published_runs/collectives.json");
    int compared = 0, close = 0;
    const nlohmann::json published = nlohmann::json::parse(file);
    for (const nlohmann::json& row : published.at("rows")) {
        const std::string name = row.at("machine"), kind = row.at("collective"), how = row.value("algorithm", "");
        const std::int64_t bytes = row.value("bytes", std::int64_t{0});
        const Cluster cluster = machine(name);
        // Left out: machines without a model, small tensors, in which the tools' own launches count, algorithms that
        // were forced, and rows that were published because something was wrong.
        const bool forced = how.starts_with("ring (") || how == "symmetric" || how == "NVLSTree" ||
                            (how == "ring" && kind == "all_reduce" && row.at("hosts") == 1);
        if (cluster.gpu_link_bytes_per_s == 0 || bytes < 128 * mebibyte || forced || row.contains("note")) continue;
        const int hosts = row.at("hosts");
        const double measured =
            row.contains("busbw_gb_per_s") ? row.at("busbw_gb_per_s") : row.at("busbw_gb_per_s_from_it");
        const double predicted =
            bus_bandwidth(cluster, group_of(row.at("gpus")), *collective_kind_by_name(kind), bytes);
        EXPECT_NEAR(predicted / measured, 1, tolerance(name, hosts, bytes))
            << name << ' ' << kind << ' ' << hosts << " hosts, " << bytes << " bytes: " << measured;
        ++compared;
        close += std::abs(predicted / measured - 1) <= 0.15;
    }
    EXPECT_GE(compared, 60);
    EXPECT_GE(close, compared * 8 / 10);
    RecordProperty("compared", compared);
    RecordProperty("within_15_percent", close);
}

}  // namespace
}  // namespace overlap
