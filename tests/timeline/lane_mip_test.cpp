#include "core/timeline/lane_mip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/timeline/random_lane.h"

namespace overlap {
namespace {

struct Expected {
    std::uint32_t dominant = no_event;
    std::uint32_t count = 0;
    std::int64_t busy_ns = 0;
};

Expected brute_force(const Lane& lane, TimeRange range) {
    Expected expected;
    std::int64_t longest_ns = 0;
    for (std::uint32_t index = 0; index < lane.size(); ++index) {
        const std::int64_t shared = overlap_ns(lane.event(index), range);
        if (shared == 0) continue;
        ++expected.count;
        expected.busy_ns += shared;
        if (shared > longest_ns) {
            longest_ns = shared;
            expected.dominant = index;
        }
    }
    return expected;
}

class LaneMipOfRandomLane : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LaneMipOfRandomLane, EveryBucketOfEveryLevelIsWhatAllEventsSay) {
    const auto timeline = test::random_lane(GetParam(), 1 + GetParam() * 37);
    const Lane& lane = timeline->lanes()[0];
    const LaneMip& mip = timeline->mip(0);
    for (std::uint32_t level = 0; level < mip.level_count(); ++level) {
        for (std::size_t index = 0; index < mip.level(level).size(); ++index) {
            const LaneMip::Bucket& bucket = mip.level(level)[index];
            const std::int64_t length_ns = mip.bucket_ns(level);
            const std::int64_t begin_ns = mip.origin_ns() + static_cast<std::int64_t>(index) * length_ns;
            const Expected expected = brute_force(lane, {begin_ns, begin_ns + length_ns});
            ASSERT_EQ(bucket.dominant, expected.dominant) << "level " << level << " bucket " << index;
            ASSERT_EQ(bucket.count, std::min(expected.count, 255u));
            ASSERT_EQ(bucket.busy == 0, expected.busy_ns == 0);
            ASSERT_EQ(bucket.covered == 0, expected.busy_ns == 0);
            ASSERT_LE(bucket.covered, bucket.busy);
            ASSERT_NEAR(bucket.busy, 255.0 * static_cast<double>(expected.busy_ns) / static_cast<double>(length_ns),
                        1.0);
        }
    }
}

TEST_P(LaneMipOfRandomLane, HasNoMoreBaseBucketsThanEvents) {
    const auto timeline = test::random_lane(GetParam(), 1 + GetParam() * 37);
    EXPECT_LE(timeline->mip(0).level(0).size(), timeline->lanes()[0].size());
    EXPECT_EQ(timeline->mip(0).level(timeline->mip(0).level_count() - 1).size(), 1u);
    // And buckets half as long would be more than events.
    const std::int64_t half_ns = timeline->mip(0).bucket_ns(0) / 2;
    if (half_ns > 0) {
        EXPECT_GT((timeline->range().length_ns() + half_ns - 1) / half_ns, timeline->lanes()[0].size());
    }
}

TEST_P(LaneMipOfRandomLane, SampleTellsBusyShareAndAnEventThatIsThere) {
    const auto timeline = test::random_lane(GetParam(), 1 + GetParam() * 37);
    const Lane& lane = timeline->lanes()[0];
    const std::int64_t whole_ns = timeline->range().length_ns();
    for (std::int64_t length_ns = whole_ns; length_ns > 3; length_ns = length_ns * 2 / 3) {
        for (int part = 0; part < 5; ++part) {
            const std::int64_t begin_ns = timeline->range().begin_ns + (whole_ns - length_ns) * part / 4;
            const TimeRange range{begin_ns, begin_ns + length_ns};
            const Expected expected = brute_force(lane, range);
            const LaneMip::Sample sample =
                timeline->mip(0).sample(lane, range, lane.first_ending_after(range.begin_ns));
            if (expected.busy_ns > 0) {
                EXPECT_NE(sample.dominant, no_event);
            }
            const double share = 255.0 * static_cast<double>(expected.busy_ns) / static_cast<double>(length_ns);
            EXPECT_NEAR(sample.busy, share, 130.0) << length_ns;  // at worst one bucket at either edge is cut blindly
            if (length_ns > 64 * timeline->mip(0).bucket_ns(0)) continue;
            if (length_ns < timeline->mip(0).bucket_ns(0)) {
                EXPECT_EQ(sample.dominant, expected.dominant);
                EXPECT_NEAR(sample.busy, share, 1.0);
            }
        }
    }
}

TEST(LaneMip, TellsTheExposedShareOfEveryRange) {
    TimelineBuilder builder;
    const std::uint32_t stalls = builder.add_lane({});
    const std::uint32_t tails = builder.add_lane({});
    for (std::int64_t begin_ns = 0; begin_ns < 80'000; begin_ns += 80) {
        builder.add(stalls, {{begin_ns, begin_ns + 50}, 0, EventRole::compute, 0, 0});
        builder.add(stalls, {{begin_ns + 50, begin_ns + 70}, 0, EventRole::exposed, 0, 0});
        builder.add(tails, {{begin_ns, begin_ns + 60}, 0, EventRole::bucket_0, 0, 20});
    }
    const auto timeline = builder.finish();
    EXPECT_TRUE(timeline->mip(stalls).has_stalls());
    EXPECT_FALSE(timeline->mip(tails).has_stalls());
    for (const std::uint32_t lane : {stalls, tails}) {
        const auto exposed = [&](TimeRange range) {
            const Lane& events = timeline->lanes()[lane];
            return timeline->mip(lane).sample(events, range, events.first_ending_after(range.begin_ns)).exposed;
        };
        for (const std::int64_t length_ns : {800, 1'600, 5'000, 40'000})
            EXPECT_NEAR(exposed({20'000, 20'000 + length_ns}), 255 / 4, 6) << lane << ' ' << length_ns;
        EXPECT_EQ(exposed({0, 30}), 0) << lane;
        EXPECT_EQ(exposed({800 + 50, 800 + 60}), 255) << lane;
    }
}

/// A lane of events without a name.
std::shared_ptr<const Timeline> lane_of(const std::vector<TimeRange>& events) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({});
    for (const TimeRange event : events) builder.add(lane, {event, 0, EventRole::compute, 0, 0});
    return builder.finish();
}

LaneMip::Sample sample_of(const Timeline& timeline, TimeRange range) {
    const Lane& lane = timeline.lanes()[0];
    return timeline.mip(0).sample(lane, range, lane.first_ending_after(range.begin_ns));
}

TEST(LaneMip, IsTheSameWheneverALaneBegins) {
    const auto at = [](std::int64_t origin_ns) {
        return lane_of({{origin_ns, origin_ns + 2}, {origin_ns + 50, origin_ns + 64}});
    };
    const auto early = at(0), late = at(1'700'000'000'000'000'000);
    EXPECT_EQ(late->mip(0).origin_ns(), 1'700'000'000'000'000'000);
    EXPECT_EQ(late->mip(0).bucket_ns(0), early->mip(0).bucket_ns(0));
    EXPECT_EQ(late->mip(0).level(0).size(), 2u);
}

TEST(LaneMip, SamplesTheEventThatIsLongestInTheRange) {
    const auto timeline = lane_of({{0, 32}, {96, 98}, {100, 102}, {104, 106}});
    ASSERT_EQ(timeline->mip(0).bucket_ns(0), 32);
    EXPECT_EQ(sample_of(*timeline, {0, 106}).dominant, 0u);
    EXPECT_EQ(sample_of(*timeline, {64, 106}).dominant, 1u) << "the first of equals";
}

TEST(LaneMip, SamplesWhatARangeReachesByANanosecond) {
    const auto timeline = lane_of({{0, 2}, {2, 4}, {4, 6}, {96, 128}});
    ASSERT_EQ(timeline->mip(0).bucket_ns(0), 32);
    EXPECT_EQ(sample_of(*timeline, {64, 97}).dominant, 3u);
    EXPECT_EQ(sample_of(*timeline, {64, 96}).dominant, no_event);
}

TEST(LaneMip, SamplesOfAlmostNothingAreTheLeastThatIsSeen) {
    const auto timeline = lane_of({{0, 1}, {10'000, 10'001}});
    EXPECT_EQ(sample_of(*timeline, {0, 8192}).busy, 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LaneMipOfRandomLane, testing::Range(0u, 24u));

TEST(LaneMip, OfAnEmptyLaneIsEmptyAndSamplesNothing) {
    const LaneMip mip{Lane{}};
    EXPECT_TRUE(mip.empty());
    EXPECT_EQ(mip.sample(Lane{}, {0, 100}, 0).dominant, no_event);
}

TEST(LaneMip, CountSaturates) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({});
    for (std::int64_t index = 0; index < 700; ++index) {
        TimelineEvent event;
        event.time = {2 * index, 2 * index + 1};
        builder.add(lane, event);
    }
    const auto timeline = builder.finish();
    EXPECT_EQ(timeline->mip(0).level(timeline->mip(0).level_count() - 1)[0].count, 255);
}

TEST(Lane, SearchFromAHintFindsTheSame) {
    const auto timeline = test::random_lane(7, 500);
    const Lane& lane = timeline->lanes()[0];
    for (std::int64_t time_ns = timeline->range().begin_ns - 5; time_ns < timeline->range().end_ns + 5;
         time_ns += 997) {
        const std::uint32_t expected = lane.first_ending_after(time_ns);
        for (const std::uint32_t back : {0u, 1u, 2u, 3u, 17u, 400u}) {
            EXPECT_EQ(lane.first_ending_after(time_ns, expected - std::min(back, expected)), expected);
        }
    }
}

}  // namespace
}  // namespace overlap
