#include "core/trace/range_statistics.h"

#include <gtest/gtest.h>

#include "core/trace/interval_union.h"
#include "core/trace/timeline_builder.h"

namespace overlap {
namespace {

TEST(RangeStatistics, SumsWhatLiesInTheRange) {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t group = builder.add_lane({"FSDP", "", LaneKind::process_group, EventRole::bucket_0});
    builder.add(compute, {{0, 100}, 0, EventRole::compute, 0, 0});
    builder.add(compute, {{100, 140}, 0, EventRole::exposed, 1, 0});
    builder.add(compute, {{140, 200}, 0, EventRole::compute, 2, 0});
    builder.add(compute, {{200, 300}, 0, EventRole::idle, no_reference, 0});
    builder.add(group, {{20, 140}, 0, EventRole::bucket_0, 1, 40});
    const auto timeline = builder.finish();

    const RangeStatistics all = range_statistics(*timeline, {0, 300});
    EXPECT_EQ(all.events, 3u);
    EXPECT_EQ(all.compute_ns, 160);
    EXPECT_EQ(all.exposed_ns, 40);
    EXPECT_EQ(all.communication_ns, 120);
    EXPECT_EQ(all.devices, 1u);

    const RangeStatistics part = range_statistics(*timeline, {90, 150});
    EXPECT_EQ(part.compute_ns, 20);
    EXPECT_EQ(part.exposed_ns, 40);
    EXPECT_EQ(part.communication_ns, 50);
    EXPECT_EQ(range_statistics(*timeline, {300, 400}).events, 0u);
}

/// Two GPUs that were measured: the first computes on two streams and communicates on a third.
TEST(RangeStatistics, MeasuredGpusAreExposedWhereTheyDoNotCompute) {
    TimelineBuilder builder;
    const auto computing = std::make_shared<const IntervalUnion>(std::vector<TimeRange>{{0, 40}, {60, 80}});
    const auto of_other = std::make_shared<const IntervalUnion>(std::vector<TimeRange>{{0, 100}});
    const auto lane = [&](LaneKind kind, std::uint32_t device) {
        return builder.add_lane({"", "", kind, EventRole::compute, device, device == 0 ? computing : of_other});
    };
    const std::uint32_t first = lane(LaneKind::compute, 0), second = lane(LaneKind::compute, 0);
    const std::uint32_t group = lane(LaneKind::process_group, 0), other = lane(LaneKind::compute, 1);
    builder.add(first, {{0, 30}, 0, EventRole::compute, 0, 0});
    builder.add(second, {{20, 40}, 0, EventRole::compute, 1, 0});
    builder.add(first, {{60, 80}, 0, EventRole::compute, 2, 0});
    builder.add(group, {{30, 100}, 0, EventRole::unbucketed, 3, 40});
    builder.add(other, {{0, 100}, 0, EventRole::compute, 4, 0});
    const auto timeline = builder.finish();

    const RangeStatistics all = range_statistics(*timeline, {0, 100});
    EXPECT_EQ(all.devices, 2u);
    EXPECT_EQ(all.compute_ns, 60 + 100);
    EXPECT_EQ(all.exposed_ns, 40) << "the other GPU's compute hides nothing here";
    EXPECT_EQ(all.overlapped_ns, 30);
    EXPECT_EQ(all.lanes[2].exposed_ns, 40);
    const RangeStatistics part = range_statistics(*timeline, {30, 70});
    EXPECT_EQ(part.exposed_ns, 20);
    EXPECT_EQ(part.lanes[2].exposed_ns, 20);
}

TEST(RangeStatistics, TellsOverlapOfEachGroup) {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t first = builder.add_lane({"FSDP", "", LaneKind::process_group, EventRole::bucket_0});
    const std::uint32_t second = builder.add_lane({"TP", "", LaneKind::process_group, EventRole::bucket_1});
    builder.add(compute, {{0, 100}, 0, EventRole::compute, 0, 0});
    builder.add(compute, {{100, 140}, 0, EventRole::exposed, 1, 0});
    builder.add(first, {{50, 140}, 0, EventRole::bucket_0, 1, 40});
    builder.add(first, {{60, 80}, 0, EventRole::bucket_0, 2, 0});  // overlaps: a row of its own
    builder.add(second, {{90, 110}, 0, EventRole::bucket_1, 3, 0});
    const auto timeline = builder.finish();
    ASSERT_EQ(timeline->lanes().size(), 4u);

    const RangeStatistics sum = range_statistics(*timeline, {0, 120});
    EXPECT_EQ(sum.communicating_ns, 70);
    EXPECT_EQ(sum.overlapped_ns, 50);
    ASSERT_EQ(sum.lanes.size(), 3u);
    EXPECT_EQ(sum.lanes[0].busy_ns, 100);
    EXPECT_EQ(sum.lanes[0].exposed_ns, 20);
    EXPECT_EQ(sum.lanes[1].lane, 1u);
    EXPECT_EQ(sum.lanes[1].events, 2u);
    EXPECT_EQ(sum.lanes[1].busy_ns, 70);
    EXPECT_EQ(sum.lanes[1].exposed_ns, 20);
    EXPECT_EQ(sum.lanes[1].overlapped_ns, 50);
    EXPECT_EQ(sum.lanes[2].lane, 3u);
    EXPECT_EQ(sum.lanes[2].busy_ns, 20);
    EXPECT_EQ(sum.lanes[2].overlapped_ns, 10);
}

}  // namespace
}  // namespace overlap
