#include <gtest/gtest.h>

#include <array>

#include "core/mesh/nccl/nccl_algorithm_time.h"
#include "core/mesh/nccl/nccl_config.h"
#include "core/mesh/nccl/nccl_factors.h"

namespace overlap {
namespace {

/// Nodes of four H100 that take part, of eight that each has.
NcclTopology half_nodes(std::int64_t nodes, int channels = 16) {
    NcclConfig config = find_nccl_config("h100");
    config.channels = channels;
    return nccl_topology(config, {4 * nodes, 2}, 0);
}

double nvls_tree_bandwidth_of(const NcclTopology& topology) {
    return nccl_algorithm_bandwidth(topology, CollectiveKind::all_reduce, NcclAlgorithm::nvls_tree,
                                    NcclProtocol::simple);
}

// Four cards carry 12.5 GB/s a channel. Two nodes send as much both ways at once, more nodes do not.
TEST(NcclAlgorithms, TreesOfSwitchesAreBoundByTheNetwork) {
    ASSERT_EQ(half_nodes(2).nodes, 2);
    ASSERT_EQ(half_nodes(2).ranks_per_node, 4);
    EXPECT_DOUBLE_EQ(nvls_tree_bandwidth_of(half_nodes(2)), 16 * 12.5 * 2 * 8 / 14);
    EXPECT_DOUBLE_EQ(nvls_tree_bandwidth_of(half_nodes(3)), 16 * 12.5 * 12 / 22);
}

TEST(NcclAlgorithms, TreesOfSwitchesNeedTwoChannels) {
    EXPECT_EQ(nvls_tree_bandwidth_of(half_nodes(2, 1)), 0.0);
    EXPECT_DOUBLE_EQ(nvls_tree_bandwidth_of(half_nodes(2, 2)), 2 * 57.7 * 8 / 14);
}

TEST(NcclAlgorithms, SwitchesWaitForTheNetworkOnlyWhereThereIsOne) {
    const auto latency = [](std::int64_t nodes) {
        return nccl_algorithm_latency_us(half_nodes(nodes), CollectiveKind::all_reduce, NcclAlgorithm::nvls,
                                         NcclProtocol::simple);
    };
    EXPECT_DOUBLE_EQ(latency(1), 25.0);
    EXPECT_DOUBLE_EQ(latency(2), 25.0 + 18.0);
}

// 64 bytes for each channel of each rank: 16 times 8 of them.
TEST(NcclAlgorithms, RingsReachTheirPlateauBetweenNodes) {
    EXPECT_TRUE(is_ring_plateau(half_nodes(2), 8192));
    EXPECT_FALSE(is_ring_plateau(half_nodes(2), 8191));
    EXPECT_FALSE(is_ring_plateau(half_nodes(1), std::int64_t{1} << 30));
}

TEST(NcclAlgorithms, TreesOfHalfAGibibyteHaveTheirFullBandwidth) {
    constexpr std::int64_t half_gibibyte = std::int64_t{1} << 29;
    EXPECT_EQ(tree_factor(NcclProtocol::simple, half_gibibyte - 1, 23), 0.9);
    EXPECT_EQ(tree_factor(NcclProtocol::simple, half_gibibyte, 23), 1.0);
    EXPECT_EQ(tree_factor(NcclProtocol::simple, half_gibibyte, 24), 0.9);
    EXPECT_EQ(tree_factor(NcclProtocol::simple, 2 * half_gibibyte, 24), 1.0);

    const NcclTopology topology = half_nodes(2);
    const auto kind = CollectiveKind::all_reduce;
    const auto tree = NcclAlgorithm::tree;
    const auto simple = NcclProtocol::simple;
    EXPECT_DOUBLE_EQ(nccl_algorithm_time_us(topology, kind, tree, simple, half_gibibyte),
                     nccl_algorithm_latency_us(topology, kind, tree, simple) +
                         half_gibibyte / (1000 * nccl_algorithm_bandwidth(topology, kind, tree, simple)));
}

// The points behind the last one are of another table.
TEST(NcclFactors, StayTheLastPointsValueBehindIt) {
    const std::array<nccl_tables::Point, 3> points = {{{2, 10.0}, {4, 20.0}, {8, 80.0}}};
    const std::span<const nccl_tables::Point> first_two(points.data(), 2);
    EXPECT_EQ(interpolated_value(first_two, 3), 15.0);
    EXPECT_EQ(interpolated_value(first_two, 4), 20.0);
    EXPECT_EQ(interpolated_value(first_two, 6), 20.0);
    EXPECT_EQ(interpolated_value(points, 6), 50.0);
}

}  // namespace
}  // namespace overlap
