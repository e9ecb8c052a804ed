// Exposure of collectives that others of their process group keep from starting.
#include <gtest/gtest.h>

#include "core/simulate/issue_order.h"
#include "core/simulate/simulation.h"
#include "tests/simulate/exposure_fixture.h"

namespace overlap::test {
namespace {

/// Two gathers of the graph's inputs: the second is not what starts the graph, and waits for the first as well.
TEST_F(Exposure, TheQueueAtTheStartOfTheGraphIsTold) {
    sketch.gather("first", x, 3);
    const NodeId second = sketch.gather("second", x, 5);
    sketch.wait("waited", second);
    const CollectiveTiming& timing = run(1);
    ASSERT_EQ(timing.cause, ExposureCause::producer_late);
    EXPECT_EQ(timing.exposed_ms, 8);
    EXPECT_EQ(
        simulation.explain(graph, 1),
        "waits 8 ms, 3 ms of it in the queue: its input is an input of the graph, but hardly any compute comes "
        "before the collective, which is issued right before waited; process group \"0\" was busy with first for 3 "
        "ms then; the "
        "all-gather takes 5 ms, and it cannot be waited for later, since no compute comes after its wait");
}

/// What has been waited for already is in nobody's way.
TEST_F(Exposure, OnlyTheFirstCollectiveStartsTheGraph) {
    sketch.wait("waited_first", sketch.gather("first", x, 3));
    sketch.wait("waited", sketch.gather("second", x, 5));
    run(1);
    EXPECT_TRUE(simulation.explain(graph, 1).starts_with(
        "waits 5 ms: its input is an input of the graph, but hardly any compute comes before the collective, which "
        "is issued right before waited"))
        << simulation.explain(graph, 1);
}

TEST_F(Exposure, AQueueIsToldBesideTheOrderOfIssue) {
    sketch.compute("mm", {x}, 20);
    sketch.gather("first", x, 3);
    sketch.wait("waited", sketch.gather("second", x, 5));
    ASSERT_EQ(run(1).cause, ExposureCause::order_of_issue);
    EXPECT_TRUE(simulation.explain(graph, 1).starts_with("waits 8 ms, 3 ms of it in the queue: it is issued right "))
        << simulation.explain(graph, 1);
    EXPECT_NE(simulation.explain(graph, 1).find(
                  "; process group \"0\" was busy with first for 3 ms then; the all-gather takes 5 ms; "),
              std::string::npos)
        << simulation.explain(graph, 1);
}

TEST_F(Exposure, GroupBusy) {
    const NodeId first = sketch.gather("first", x, 10);
    const NodeId second = sketch.gather("second", x, 4);
    sketch.compute("mm", {x}, 6);
    sketch.wait("waited", second);
    sketch.wait("waited_first", first);
    const CollectiveTiming& timing = run(1);
    EXPECT_EQ(timing.exposed_ms, 8);
    EXPECT_EQ(timing.cause, ExposureCause::group_busy);
    EXPECT_EQ(timing.blocker, first);
    EXPECT_EQ(
        simulation.explain(graph, 1),
        "waits 8 ms, 4 ms of it in the queue: process group \"0\" was busy with first for 10 ms when it could have "
        "started; it cannot go "
        "ahead of that one, since collectives of a process group keep their order");
    // Where they need not, it could be issued first.
    EXPECT_EQ(
        explain_exposure(simulation, graph, 1, {.groups_keep_order = false}),
        "waits 8 ms, 4 ms of it in the queue: process group \"0\" was busy with first for 10 ms when it could have "
        "started; issuing it "
        "before first would let it start earlier, and that one later");
    EXPECT_TRUE(explain_exposure(simulation, graph, 1, {.groups_keep_order = false, .further = {{second, first}}})
                    .ends_with("it cannot go ahead of that one, since an overlap by hand keeps it behind first"));
}

TEST_F(Exposure, AStreamThatIsHeldForHalfOfTheTimeIsTheCause) {
    const NodeId first = sketch.gather("first", x, 4);
    const NodeId second = sketch.gather("second", x, 4);
    sketch.wait("waited", second);
    const CollectiveTiming& timing = run(1);
    EXPECT_EQ(timing.exposed_ms, 8);
    EXPECT_EQ(timing.cause, ExposureCause::group_busy);
    EXPECT_EQ(timing.blocker, first);
}

TEST_F(Exposure, AQueueIsNotTheCollectiveAtItsEnd) {
    const NodeId first = sketch.gather("first", x, 10);
    const NodeId second = sketch.gather("second", x, 4);
    const NodeId third = sketch.gather("third", x, 4);
    sketch.compute("mm", {x}, 6);
    sketch.wait("waited", third);
    sketch.wait("waited_first", first);
    sketch.wait("waited_second", second);
    EXPECT_EQ(run(2).blocker, second);
    EXPECT_EQ(simulation.explain(graph, 2),
              "waits 12 ms, 8 ms of it in the queue: process group \"0\" was busy for 14 ms, with second last, when it "
              "could have started; it "
              "cannot go ahead of that one, since collectives of a process group keep their order");
}

/// What is ahead of a collective on its process group comes along with it, if its input allows it.
TEST_F(Exposure, AnEarlierPlaceThatItsProcessGroupForbidsIsToldWithTheReason) {
    const NodeId early = sketch.compute("mm", {x}, 5);
    const NodeId late = sketch.compute("mm_1", {early}, 5);
    const NodeId ahead = sketch.reduce("ahead", late, 0.1);
    const NodeId gather = sketch.gather("gather", x, 10);
    sketch.compute("mm_2", {x}, 2);
    sketch.wait("waited", gather);
    sketch.wait("waited_ahead", ahead);
    const CollectiveTiming& timing = run(1);
    ASSERT_EQ(timing.start_before, early);
    EXPECT_TRUE(simulation.explain(graph, 1).ends_with(
        ", but ahead, which is ahead of it on its process group, has to come behind mm"))
        << simulation.explain(graph, 1);
    EXPECT_EQ(explain_exposure(simulation, graph, 1, {.groups_keep_order = false}).find(", but "), std::string::npos);
}

TEST_F(Exposure, WhatItNeedsIsNoPlaceToGoAheadOf) {
    const NodeId first = sketch.gather("first", x, 10);
    const NodeId second = sketch.reduce("second", first, 4);
    sketch.compute("mm", {x}, 6);
    sketch.wait("waited", second);
    ASSERT_EQ(run(1).cause, ExposureCause::group_busy);
    EXPECT_TRUE(explain_exposure(simulation, graph, 1, {.groups_keep_order = false}).ends_with("since it needs first"))
        << explain_exposure(simulation, graph, 1, {.groups_keep_order = false});
}

TEST_F(Exposure, AStreamThatIsHeldBrieflyIsNotTheCause) {
    sketch.gather("first", x, 1);
    const NodeId second = sketch.gather("second", x, 10);
    sketch.compute("mm", {x}, 4);
    sketch.wait("waited", second);
    EXPECT_EQ(run(1).cause, ExposureCause::window_too_short);  // 7 ms exposed, 1 of them for `first`
    EXPECT_EQ(
        simulation.explain(graph, 1),
        "waits 7 ms: it could have started 4 ms before waited, and the all-gather takes 10 ms; process group \"0\" "
        "was busy with first for 1 ms then");
}

}  // namespace
}  // namespace overlap::test
