#include "core/timeline/find_events.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/timeline/timeline_builder.h"

namespace overlap {
namespace {

/// Two lanes; the second's gather is exposed for 20 ns, and the stall that it causes has its name.
std::shared_ptr<const Timeline> timeline() {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t group = builder.add_lane({"FSDP", "", LaneKind::process_group, EventRole::bucket_0});
    builder.add(compute, {{0, 100}, builder.intern("mm_1"), EventRole::compute, 0, 0});
    builder.add(compute, {{100, 120}, builder.intern("All_Gather layers.0"), EventRole::exposed, 1, 0});
    builder.add(compute, {{120, 150}, builder.intern("mm_2"), EventRole::compute, 2, 0});
    builder.add(group, {{20, 120}, builder.intern("All_Gather layers.0"), EventRole::bucket_0, 1, 20});
    builder.add(group, {{120, 180}, builder.intern("all_gather layers.1"), EventRole::bucket_1, 3, 30});
    return builder.finish();
}

TEST(EventSearch, FindsAllWordsInAnyOrderAndCase) {
    const auto made = timeline();
    const EventMatches gathers = find_events(*made, "LAYERS  gather");
    ASSERT_EQ(gathers.events.size(), 2u);
    EXPECT_EQ(gathers.events[0], (EventLocation{1, 0}));
    EXPECT_EQ(gathers.events[1], (EventLocation{1, 1}));
    EXPECT_EQ(gathers.total_ns, 160);
    EXPECT_EQ(gathers.shortest_ns, 60);
    EXPECT_EQ(gathers.median_ns, 80);
    EXPECT_EQ(gathers.longest_ns, 100);
    EXPECT_EQ(find_events(*made, "gather layers.1").events.size(), 1u);
    EXPECT_TRUE(find_events(*made, "gather mm").events.empty());
    EXPECT_TRUE(find_events(*made, "  ").events.empty());
}

TEST(EventSearch, TakesWordsForAbbreviationsWhereNoTextHasThem) {
    const auto made = timeline();
    EXPECT_FALSE(find_events(*made, "gather").by_abbreviation);
    const EventMatches found = find_events(*made, "l1 agath");
    ASSERT_EQ(found.events.size(), 1u);
    EXPECT_EQ(made->event_name(found.events[0]), "all_gather layers.1");
    EXPECT_TRUE(found.by_abbreviation);
    EXPECT_FALSE(find_events(*made, "zz").by_abbreviation);
}

TEST(EventSearch, AbbreviatesByBeginningsOfWordsInOrder) {
    const std::string gather = "all_gather_into_tensor_17";
    for (const std::string word : {"agit", "allgat", "agtens", "ALLG", "t17", "a1"}) {
        EXPECT_TRUE(abbreviates(word, gather)) << word;
    }
    for (const std::string word : {"ga", "gall", "lg", "a7", "tensorr", "agitx"}) {
        EXPECT_EQ(abbreviates(word, gather), word == "ga") << word;
    }
    EXPECT_TRUE(abbreviates("drs", "ncclDevKernel_ReduceScatter"));
    EXPECT_FALSE(abbreviates("nevk", "ncclDevKernel_ReduceScatter"));
    EXPECT_TRUE(abbreviates("aab", "a_aa_ab"));  // the first way of taking letters need not be the right one
}

TEST(EventSearch, GivesNothingWhenStopped) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(find_events(*timeline(), "gather", {}, stop.get_token()).events.empty());
}

TEST(EventSearch, SpreadsDurationsOverBinsThatGrow) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    std::int64_t time_ns = 0;
    for (const std::int64_t length_ns : {10, 11, 12, 100, 10'000, 0}) {
        builder.add(lane, {{time_ns, time_ns + length_ns}, builder.intern("mm"), EventRole::compute, 0, 0});
        time_ns += length_ns + 1;
    }
    const auto made = builder.finish();
    const EventMatches all = find_events(*made, "mm");
    const std::vector<DurationBin> bins = duration_histogram(*made, all, 8);
    ASSERT_FALSE(bins.empty());
    EXPECT_LE(bins.size(), 8u);
    EXPECT_EQ(bins.front().from_ns, 0);
    EXPECT_EQ(bins.back().to_ns, 10'001);
    EXPECT_EQ(bins.back().count, 1u);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        sum += bins[i].count;
        EXPECT_EQ(bins[i].from_ns, i > 0 ? bins[i - 1].to_ns : 0);
    }
    EXPECT_EQ(sum, all.events.size());
    EXPECT_TRUE(duration_histogram(*made, {}, 8).empty());
}

/// The bins of events of these lengths, `from_ns to_ns count` of each.
std::string bins_of(const std::vector<std::int64_t>& lengths_ns, std::size_t bins) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    std::int64_t time_ns = 0;
    for (const std::int64_t length_ns : lengths_ns) {
        builder.add(lane, {{time_ns, time_ns + length_ns}, builder.intern("mm"), EventRole::compute, 0, 0});
        time_ns += length_ns;
    }
    const auto made = builder.finish();
    std::string text;
    for (const DurationBin& bin : duration_histogram(*made, find_events(*made, "mm"), bins)) {
        text.append(text.empty() ? "" : ", ").append(std::to_string(bin.from_ns)).append(" ");
        text.append(std::to_string(bin.to_ns)).append(" ").append(std::to_string(bin.count));
    }
    return text;
}

TEST(EventSearch, BinsOfDurationsGrowByOneFactorAndHoldAWholeNanosecond) {
    EXPECT_EQ(bins_of({10, 100, 101, 1000}, 2), "10 101 2, 101 1001 2");
    EXPECT_EQ(bins_of({4, 31}, 3), "4 8 1, 8 16 0, 16 32 1");
    EXPECT_EQ(bins_of({10, 11, 11}, 8), "10 11 1, 11 12 2") << "fewer than asked for";
    EXPECT_EQ(bins_of({7}, 8), "7 8 1");
}

TEST(EventSearch, LooksAtFurtherTextOfReferences) {
    const auto made = timeline();
    const auto module_of = [](std::uint32_t reference) {
        return std::string(reference == 2 ? "layers.7.attention" : "layers.6");
    };
    const EventMatches found = find_events(*made, "mm layers.7", module_of);
    ASSERT_EQ(found.events.size(), 1u);
    EXPECT_EQ(made->event_name(found.events[0]), "mm_2");
}

TEST(EventSearch, CountsStartsByPixel) {
    const auto made = timeline();
    const EventMatches all = find_events(*made, "_");
    const std::vector<std::uint32_t> density = start_density(*made, all.events, {{0, 180}, 3});
    EXPECT_EQ(density, (std::vector<std::uint32_t>{2, 0, 2}));
    EXPECT_TRUE(start_density(*made, all.events, {{0, 180}, 0}).empty());
}

TEST(EventSearch, RanksByExposedTime) {
    const auto made = timeline();
    const std::vector<EventLocation> exposed = most_exposed_events(*made);
    ASSERT_EQ(exposed.size(), 2u);
    EXPECT_EQ(made->event_name(exposed[0]), "all_gather layers.1");
    EXPECT_EQ(made->event_name(exposed[1]), "All_Gather layers.0");
}

/// Compute waits from 10 on for what its stream begins at 50 only.
TEST(EventSearch, RanksByTheWholeStallAlsoWhereTheEventIsShorter) {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t group = builder.add_lane({"Group", "", LaneKind::process_group, EventRole::unbucketed});
    builder.add(compute, {{10, 60}, builder.intern("queued"), EventRole::exposed, 1, 0});
    builder.add(compute, {{70, 100}, builder.intern("long"), EventRole::exposed, 2, 0});
    builder.add(group, {{50, 60}, builder.intern("queued"), EventRole::unbucketed, 1, 10});
    builder.add(group, {{60, 100}, builder.intern("long"), EventRole::unbucketed, 2, 30});
    const auto made = builder.finish();
    const std::vector<EventLocation> exposed = most_exposed_events(*made);
    ASSERT_EQ(exposed.size(), 2u);
    EXPECT_EQ(made->event_name(exposed[0]), "queued");
    EXPECT_EQ(made->exposed_ns(exposed[0]), 50);
    EXPECT_EQ(made->exposed_ns(exposed[1]), 30);
    EXPECT_EQ(made->lanes()[exposed[0].lane].exposed_ns[exposed[0].event], 10) << "what is drawn";
}

TEST(EventSearch, RanksWhatNeverEndsFirstAndOfThatTheEarliest) {
    TimelineBuilder builder;
    for (const std::int64_t begin_ns : {90, -80, 0}) {
        const std::uint32_t lane = builder.add_lane({"Rank", "", LaneKind::compute, EventRole::compute});
        const bool open = begin_ns != 0;
        builder.add(lane, {{begin_ns, 100}, builder.intern("wait"), EventRole::idle, no_reference, 100, open});
    }
    const auto made = builder.finish();
    const std::vector<EventLocation> exposed = most_exposed_events(*made);
    EXPECT_EQ(exposed, (std::vector<EventLocation>{{1, 0}, {0, 0}, {2, 0}}));
}

/// The same node has stalls on other ranks.
TEST(EventSearch, TakesTheStallThatEndsWithTheEvent) {
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t group = builder.add_lane({"Group", "", LaneKind::process_group, EventRole::unbucketed});
    builder.add(compute, {{0, 60}, builder.intern("gather"), EventRole::exposed, 1, 0});
    builder.add(compute, {{70, 100}, builder.intern("gather"), EventRole::exposed, 1, 0});
    builder.add(group, {{80, 100}, builder.intern("gather"), EventRole::unbucketed, 1, 20});
    const auto made = builder.finish();
    EXPECT_EQ(made->exposed_ns(most_exposed_events(*made).front()), 30);
}

}  // namespace
}  // namespace overlap
