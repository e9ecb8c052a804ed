#include "core/trace/range_statistics.h"

#include <gtest/gtest.h>

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
    EXPECT_EQ(all.compute_lanes, 1u);

    const RangeStatistics part = range_statistics(*timeline, {90, 150});
    EXPECT_EQ(part.compute_ns, 20);
    EXPECT_EQ(part.exposed_ns, 40);
    EXPECT_EQ(part.communication_ns, 50);
    EXPECT_EQ(range_statistics(*timeline, {300, 400}).events, 0u);
}

}  // namespace
}  // namespace overlap
