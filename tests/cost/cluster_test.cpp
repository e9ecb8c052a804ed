#include "core/cost/cluster.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"

namespace overlap {
namespace {

constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

Cluster h100() {
    return {.gpu_link_bytes_per_s = 450e9, .switch_reduction = 1.05, .card_bytes_per_s = 50e9};
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
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(8), CollectiveKind::all_gather, 8 * gibibyte), 351, 1);
    // Eight cards a host carry more than its links to the switch reach along a ring; one carries 45 GB/s.
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(64), CollectiveKind::reduce_scatter, 8 * gibibyte), 351, 7);
    EXPECT_NEAR(bus_bandwidth(h100(), group_of(8, 8), CollectiveKind::all_gather, 8 * gibibyte), 45, 0.5);
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

}  // namespace
}  // namespace overlap
