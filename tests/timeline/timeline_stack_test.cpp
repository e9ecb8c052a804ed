#include "core/timeline/timeline_stack.h"

#include <gtest/gtest.h>

#include <array>

#include "core/timeline/timeline_builder.h"

namespace overlap {
namespace {

/// A lane `stream` with two events, of which the second lies in the first, and a point of memory at each's beginning.
std::shared_ptr<const Timeline> nested(std::int64_t begin_ns) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"stream", "", LaneKind::compute, EventRole::compute});
    builder.add(lane, {{begin_ns, begin_ns + 100}, builder.intern("outer"), EventRole::bucket_0, 0, 30});
    builder.add(lane, {{begin_ns + 10, begin_ns + 20}, builder.intern("inner"), EventRole::hidden, 1, 0});
    builder.add(lane, {{begin_ns + 200, begin_ns + 300}, builder.intern("last"), EventRole::exposed, no_reference, 0});
    builder.set_memory({{begin_ns, begin_ns + 10}, {5, 7}});
    return builder.finish();
}

TEST(TimelineStack, PutsLanesBelowOneAnotherOnOneAxis) {
    const std::array<TimelinePart, 2> parts{TimelinePart{nested(0), "A · "},
                                            TimelinePart{nested(5'000), "B · ", -4'900, 2}};
    const auto stack = stack_timelines(parts);
    ASSERT_EQ(stack->lanes().size(), 4u);
    EXPECT_EQ(stack->lanes()[0].description.title, "A · stream");
    EXPECT_EQ(stack->lanes()[1].depth, 1u);
    EXPECT_EQ(stack->lanes()[2].description.title, "B · stream");
    EXPECT_EQ(stack->range(), (TimeRange{0, 400}));
    EXPECT_EQ(stack->lanes()[0].description.device, 0u);
    EXPECT_EQ(stack->lanes()[2].description.device, 1u) << "GPUs of different parts are different ones";
    // The second part's events by their references, with all that they are.
    const auto outer = stack->find(2);
    ASSERT_EQ(outer.size(), 1u);
    EXPECT_EQ(stack->event_name(outer.front().location), "outer");
    EXPECT_EQ(stack->event(outer.front().location), (TimeRange{100, 200}));
    const Lane& lane = stack->lanes()[outer.front().location.lane];
    EXPECT_EQ(lane.role[outer.front().location.event], EventRole::bucket_0);
    EXPECT_EQ(lane.exposed_ns[outer.front().location.event], 30);
    EXPECT_EQ(stack->event_name(stack->find(3).front().location), "inner");
    // What stands for nothing in its own timeline stands for nothing here.
    EXPECT_EQ(lane.reference.back(), no_reference);
    EXPECT_EQ(stack->memory().time_ns, (std::vector<std::int64_t>{0, 10}));
}

TEST(TimelineStack, WhatNeverEndsNeverEndsThere) {
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"stream", "", LaneKind::compute, EventRole::compute});
    builder.add(lane, {{0, 100}, builder.intern("first"), EventRole::compute, 0, 0});
    builder.add(lane, {{100, 300}, builder.intern("for ever"), EventRole::idle, 1, 200, true});
    const std::array<TimelinePart, 1> parts{TimelinePart{builder.finish(), "A · ", 50}};
    const auto stack = stack_timelines(parts);
    EXPECT_FALSE(stack->is_open_ended(stack->find(0).front().location));
    EXPECT_TRUE(stack->is_open_ended(stack->find(1).front().location));
}

TEST(TimelineStack, LeavesOutWhatIsOutsideOfAPart) {
    TimelinePart part{nested(1'000), ""};
    part.only = TimeRange{1'150, 1'260};
    part.offset_ns = -1'150;
    const auto stack = stack_timelines(std::array{part});
    EXPECT_EQ(stack->event_count(), 1u);
    EXPECT_TRUE(stack->find(0).empty());
    EXPECT_EQ(stack->range(), (TimeRange{0, 150}));
    EXPECT_TRUE(stack->memory().empty());
}

}  // namespace
}  // namespace overlap
