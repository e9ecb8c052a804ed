#include "core/mesh/collective_times.h"

#include <gtest/gtest.h>

#include <array>

namespace overlap::test {

namespace {

const DeviceMesh mesh{{2, 4}, {}};
const MeshTopology topology{{10.0, 40.0}, {3.0, 1.0}};  // GiB a second, microseconds of a hop
constexpr std::array<int, 1> outer = {0}, inner = {1};
constexpr std::array<int, 2> both = {0, 1};

}  // namespace

// The launch takes 6.6 microseconds. Of 0.4 GiB a ring of four ranks sends 0.1 in each hop, which takes 2500.
TEST(RingTimes, EachHopTakesItsLatencyAndItsPart) {
    const auto times = ring_times(mesh, topology);
    EXPECT_DOUBLE_EQ(times->time(StepKind::reduce_scatter, inner, 0.4), 6.6 + 3 * (1.0 + 2500));
    EXPECT_DOUBLE_EQ(times->time(StepKind::all_gather, inner, 0.1), 6.6 + 3 * (1.0 + 2500));
    EXPECT_DOUBLE_EQ(times->time(StepKind::all_reduce, inner, 0.4), 6.6 + 6 * (1.0 + 2500));
    EXPECT_DOUBLE_EQ(times->time(StepKind::all_to_all, inner, 0.4), 6.6 + 3 * (1.0 + 2500) + 1.0);
    EXPECT_DOUBLE_EQ(times->time(StepKind::permute, inner, 0.4), 6.6 + 1.0 + 10'000);
    EXPECT_EQ(times->time(StepKind::chunk, inner, 0.4), 0.0);
}

TEST(RingTimes, SeveralMeshDimensionsHaveTheLeastBandwidthAndTheGreatestLatency) {
    const auto times = ring_times(mesh, topology);
    EXPECT_DOUBLE_EQ(times->time(StepKind::reduce_scatter, outer, 0.2), 6.6 + 3.0 + 10'000);
    EXPECT_DOUBLE_EQ(times->time(StepKind::reduce_scatter, both, 0.8), 6.6 + 7 * (3.0 + 10'000));
    const auto fast_outside = ring_times(mesh, {{40.0, 10.0}, {1.0, 3.0}});
    EXPECT_DOUBLE_EQ(fast_outside->time(StepKind::reduce_scatter, both, 0.8), 6.6 + 7 * (3.0 + 10'000));
}

TEST(TorchTopology, WhatSpansMoreThanAHostIsSlower) {
    const MeshTopology guessed = torch_topology(DeviceMesh{{2, 2, 4}, {}, 8});
    EXPECT_EQ(guessed.bandwidth_gib_s, (std::vector<double>{87.7 * 0.22, 87.7, 87.7}));
    EXPECT_EQ(guessed.latency_us, (std::vector<double>{2.7, 0.6, 0.6}));
    // Where no device is seen, every dimension is between hosts.
    EXPECT_EQ(torch_topology(DeviceMesh{{2, 4}, {}, 0}).latency_us, (std::vector<double>{2.7, 2.7}));
}

TEST(FixedTimes, EveryKindHasItsConstant) {
    const auto times = fixed_times({4.0, 1.5, 2.0, 2.5, 1.25});
    EXPECT_EQ(times->time(StepKind::all_reduce, both, 7.0), 4.0);
    EXPECT_EQ(times->time(StepKind::all_to_all, both, 7.0), 1.5);
    EXPECT_EQ(times->time(StepKind::all_gather, both, 7.0), 2.0);
    EXPECT_EQ(times->time(StepKind::reduce_scatter, both, 7.0), 2.5);
    EXPECT_EQ(times->time(StepKind::permute, both, 7.0), 1.25);
    EXPECT_EQ(times->time(StepKind::chunk, both, 7.0), 0.0);
}

}  // namespace overlap::test
