#include "core/trace/event_search.h"

#include <gtest/gtest.h>

#include "core/trace/timeline_builder.h"

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
    EXPECT_EQ(gathers.median_ns, 100);
    EXPECT_EQ(gathers.longest_ns, 100);
    EXPECT_EQ(find_events(*made, "gather layers.1").events.size(), 1u);
    EXPECT_TRUE(find_events(*made, "gather mm").events.empty());
    EXPECT_TRUE(find_events(*made, "  ").events.empty());
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

}  // namespace
}  // namespace overlap
