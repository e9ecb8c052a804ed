#include "core/timeline/range_statistics.h"

#include <gtest/gtest.h>

#include <random>

#include "core/timeline/interval_union.h"
#include "core/timeline/timeline_builder.h"

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

    const RangeStatistics all = RangeSums(timeline).of({0, 300});
    EXPECT_EQ(all.events, 3u);
    EXPECT_EQ(all.compute_ns, 160);
    EXPECT_EQ(all.exposed_ns, 40);
    EXPECT_EQ(all.communication_ns, 120);
    EXPECT_EQ(all.devices, 1u);

    const RangeStatistics part = RangeSums(timeline).of({90, 150});
    EXPECT_EQ(part.compute_ns, 20);
    EXPECT_EQ(part.exposed_ns, 40);
    EXPECT_EQ(part.communication_ns, 50);
    EXPECT_EQ(part.events, 3u);
    EXPECT_EQ(RangeSums(timeline).of({10, 20}).events, 1u);
    EXPECT_EQ(RangeSums(timeline).of({10, 21}).events, 2u);
    EXPECT_EQ(RangeSums(timeline).of({300, 400}).events, 0u);
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

    const RangeStatistics all = RangeSums(timeline).of({0, 100});
    EXPECT_EQ(all.devices, 2u);
    EXPECT_EQ(all.compute_ns, 60 + 100);
    EXPECT_EQ(all.exposed_ns, 40) << "the other GPU's compute hides nothing here";
    EXPECT_EQ(all.overlapped_ns, 30);
    EXPECT_EQ(all.lanes[2].exposed_ns, 40);
    const RangeStatistics part = RangeSums(timeline).of({30, 70});
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

    const RangeStatistics sum = RangeSums(timeline).of({0, 120});
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

TEST(RangeStatistics, CountEventsOfLanesWithoutStalls) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"FSDP", "", LaneKind::process_group, EventRole::bucket_0});
    for (const std::int64_t begin_ns : {0, 20, 40, 60})
        builder.add(lane, {{begin_ns, begin_ns + 10}, 0, EventRole::bucket_0, 0, 1});
    const RangeSums sums(builder.finish());
    EXPECT_EQ(sums.of({5, 45}).events, 3u);
    EXPECT_EQ(sums.of({10, 20}).events, 0u);
    EXPECT_EQ(sums.of({0, 100}).lanes[0].exposed_ns, 4) << "a nanosecond of each";
}

/// Whatever the range, sums are what counting moment by moment gives.
TEST(RangeStatistics, AreThoseOfEveryMoment) {
    constexpr std::int64_t length_ns = 120;
    std::mt19937 random(7);
    const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(random() % bound); };
    for (int round = 0; round < 40; ++round) {
        const bool is_measured = round % 2 == 0;
        std::vector<TimeRange> kernels;
        for (int count = 0; count < 8; ++count) {
            const std::int64_t begin_ns = below(length_ns);
            kernels.push_back({begin_ns, begin_ns + below(20)});
        }
        const auto computing = is_measured ? std::make_shared<const IntervalUnion>(kernels) : nullptr;
        TimelineBuilder builder;
        const std::uint32_t compute = builder.add_lane({"", "", LaneKind::compute, EventRole::compute, 0, computing});
        const std::uint32_t group =
            builder.add_lane({"", "", LaneKind::process_group, EventRole::unbucketed, 0, computing});
        std::vector<bool> computes(200), communicates(200), stalls(200);
        const auto mark = [](std::vector<bool>& moments, TimeRange time) {
            for (std::int64_t at = time.begin_ns; at < time.end_ns; ++at) moments[static_cast<std::size_t>(at)] = true;
        };
        for (const TimeRange kernel : kernels) {
            builder.add(compute, {kernel, 0, EventRole::compute, 0, 0});
            mark(computes, kernel);
        }
        for (int count = 0; count < 5; ++count) {
            const std::int64_t begin_ns = below(length_ns);
            const TimeRange time{begin_ns, begin_ns + 1 + below(30)};
            const std::int64_t hidden_ns = is_measured ? overlap_ns(time, *computing) : 0;
            builder.add(group, {time, 0, EventRole::unbucketed, 1, time.length_ns() - hidden_ns});
            mark(communicates, time);
        }
        if (!is_measured) {
            builder.add(compute, {{150, 180}, 0, EventRole::exposed, 2, 0});
            mark(stalls, {150, 180});
        }
        const RangeSums sums(builder.finish());
        for (int ranges = 0; ranges < 30; ++ranges) {
            const std::int64_t begin_ns = below(160);
            const TimeRange range{begin_ns, begin_ns + below(200 - begin_ns)};
            std::int64_t compute_ns = 0, communicating_ns = 0, overlapped_ns = 0, exposed_ns = 0;
            for (auto at = static_cast<std::size_t>(range.begin_ns); at < static_cast<std::size_t>(range.end_ns);
                 ++at) {
                compute_ns += computes[at];
                communicating_ns += communicates[at];
                overlapped_ns += computes[at] && communicates[at];
                exposed_ns += is_measured ? communicates[at] && !computes[at] : stalls[at];
            }
            const RangeStatistics told = sums.of(range);
            EXPECT_EQ(told.compute_ns, compute_ns);
            EXPECT_EQ(told.communicating_ns, communicating_ns);
            EXPECT_EQ(told.overlapped_ns, overlapped_ns);
            EXPECT_EQ(told.exposed_ns, exposed_ns);
            EXPECT_EQ(told.lanes[1].busy_ns, communicating_ns);
            EXPECT_EQ(told.lanes[1].overlapped_ns, overlapped_ns);
        }
    }
}

}  // namespace
}  // namespace overlap
