#include "core/timeline/timeline_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace overlap {
namespace {

TimelineEvent event(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t reference = no_reference) {
    return {{begin_ns, end_ns}, 0, EventRole::compute, reference, 0};
}

TEST(TimelineBuilder, OfNothingIsAnEmptyTimeline) {
    const auto timeline = TimelineBuilder().finish();
    EXPECT_TRUE(timeline->lanes().empty());
    EXPECT_EQ(timeline->range(), (TimeRange{0, 1}));
    EXPECT_TRUE(timeline->find(0).empty());
}

TEST(TimelineBuilder, KeepsLanesInOrderAndEmptyOnesToo) {
    TimelineBuilder builder;
    builder.add_lane({"a", "", LaneKind::compute, EventRole::compute});
    const std::uint32_t b = builder.add_lane({"b", "", LaneKind::process_group, EventRole::hidden});
    builder.add(b, event(5, 9));
    const auto timeline = builder.finish();
    ASSERT_EQ(timeline->lanes().size(), 2u);
    EXPECT_EQ(timeline->lanes()[0].description.title, "a");
    EXPECT_TRUE(timeline->lanes()[0].empty());
    EXPECT_EQ(timeline->range(), (TimeRange{5, 9}));
    EXPECT_EQ(timeline->event_count(), 1u);
}

TEST(TimelineBuilder, PutsNestedEventsBelowTheirParents) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"calls", "", LaneKind::other, EventRole::compute});
    builder.add(lane, event(0, 40, 2));
    builder.add(lane, event(0, 100, 1));
    builder.add(lane, event(10, 20, 3));
    builder.add(lane, event(50, 60, 4));
    const auto timeline = builder.finish();
    ASSERT_EQ(timeline->lanes().size(), 3u);
    for (std::uint32_t depth = 0; depth < 3; ++depth) {
        EXPECT_EQ(timeline->lanes()[depth].depth, depth);
        EXPECT_EQ(timeline->lanes()[depth].group, 0u);
    }
    EXPECT_EQ(timeline->find(1)[0].location, (EventLocation{0, 0}));
    EXPECT_EQ(timeline->find(2)[0].location, (EventLocation{1, 0}));
    EXPECT_EQ(timeline->find(3)[0].location, (EventLocation{2, 0}));
    EXPECT_EQ(timeline->find(4)[0].location, (EventLocation{1, 1}));
}

TEST(TimelineBuilder, NoRowOfRandomEventsOverlaps) {
    std::mt19937 random(11);
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({});
    for (int index = 0; index < 2000; ++index) {
        const auto begin_ns = static_cast<std::int64_t>(random() % 10'000);
        builder.add(lane, event(begin_ns, begin_ns + static_cast<std::int64_t>(random() % 50)));
    }
    const auto timeline = builder.finish();
    std::size_t count = 0;
    for (const Lane& row : timeline->lanes()) {
        count += row.size();
        for (std::uint32_t index = 1; index < row.size(); ++index) {
            ASSERT_LE(row.end_ns[index - 1], row.start_ns[index]);
        }
    }
    EXPECT_EQ(count, 2000u);
}

TEST(TimelineBuilder, FindsAllEventsOfAReference) {
    TimelineBuilder builder;
    const std::uint32_t a = builder.add_lane({});
    const std::uint32_t b = builder.add_lane({});
    builder.add(b, event(0, 1, 7));
    builder.add(a, event(5, 6, 7));
    builder.add(a, event(2, 3, 7));
    builder.add(a, event(8, 9));
    const auto timeline = builder.finish();
    const auto found = timeline->find(7);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(timeline->event(found[0].location), (TimeRange{2, 3}));
    EXPECT_EQ(timeline->event(found[1].location), (TimeRange{5, 6}));
    EXPECT_EQ(found[2].location.lane, 1u);
    EXPECT_TRUE(timeline->find(no_reference).empty());
}

TEST(TimelineBuilder, OtherRolesAreThoseOfEventsThatAreThere) {
    TimelineBuilder builder;
    builder.add(builder.add_lane({}), event(0, 10, 1));
    const auto timeline = builder.finish();
    const std::vector<ReferenceRole> roles = {{1, EventRole::hidden}, {2, EventRole::idle}};
    const auto changed = TimelineBuilder::with_roles(*timeline, roles);
    EXPECT_EQ(changed->lanes()[0].role[0], EventRole::hidden);
    EXPECT_TRUE(changed->has_role(EventRole::hidden));
    EXPECT_FALSE(changed->has_role(EventRole::idle)) << "no event has reference 2";
    EXPECT_EQ(timeline->lanes()[0].role[0], EventRole::compute) << "the other one stays";
}

TEST(TimelineBuilder, StoresEachNameOnce) {
    TimelineBuilder builder;
    EXPECT_EQ(builder.intern(""), 0u);
    const std::uint32_t name = builder.intern("all_gather");
    EXPECT_EQ(builder.intern("all_gather"), name);
    TimelineEvent named = event(0, 1);
    named.name = name;
    builder.add(builder.add_lane({}), named);
    EXPECT_EQ(builder.finish()->event_name({0, 0}), "all_gather");
}

TEST(TimelineBuilder, RepairsWhatCannotBe) {
    TimelineBuilder builder;
    TimelineEvent backwards = event(10, 3);
    backwards.exposed_ns = 99;
    builder.add(builder.add_lane({}), backwards);
    builder.set_memory({{0, 10, 5, 20}, {1, 2, 3, 4}});
    builder.include({-50, 0});
    const auto timeline = builder.finish();
    EXPECT_EQ(timeline->event({0, 0}), (TimeRange{10, 10}));
    EXPECT_EQ(timeline->lanes()[0].exposed_ns[0], 0);
    EXPECT_EQ(timeline->memory().bytes, (std::vector<std::int64_t>{1, 2, 4}));
    EXPECT_EQ(timeline->range(), (TimeRange{-50, 20}));
}

}  // namespace
}  // namespace overlap
