// Causes of exposure by the rule of core/simulate/simulation.h.
#include <gtest/gtest.h>

#include "core/simulate/issue_order.h"
#include "core/simulate/simulation.h"
#include "tests/simulate/exposure_fixture.h"

namespace overlap::test {
namespace {

TEST_F(Exposure, WindowTooShort) {
    sketch.compute("mm", {x}, 1);
    const NodeId last = sketch.compute("mm_1", {x}, 2);
    const NodeId gather = sketch.gather("gather", x, 10);
    sketch.compute("mm_2", {x}, 9);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::window_too_short);
    EXPECT_EQ(timing.window_ms, 9);
    EXPECT_EQ(timing.exposed_ms, 1);
    EXPECT_EQ(timing.start_before, last);  // at 1 ms it starts in time for the wait at 12
    EXPECT_EQ(timing.blocker, last);
    EXPECT_EQ(timing.hidden_if_earlier_ms, 1);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 1 ms: the time between its start and its wait (9 ms) is shorter than the all-gather "
              "(10 ms); issued before mm_1, it would have enough compute to hide behind");
}

TEST_F(Exposure, WindowTooShortAndTheInputAllowsSomeOfIt) {
    const NodeId producer = sketch.compute("mm", {x}, 5);
    const NodeId after = sketch.compute("mm_1", {x}, 1);
    const NodeId reduce = sketch.reduce("reduce", producer, 10);
    sketch.compute("mm_2", {x}, 4);
    sketch.wait("waited", reduce);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::window_too_short);
    EXPECT_EQ(timing.producer, producer);
    EXPECT_EQ(timing.earliest_ms, 5);
    EXPECT_EQ(timing.start_before, after);
    EXPECT_EQ(timing.hidden_if_earlier_ms, 1);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 6 ms: the time between its start and its wait (4 ms) is shorter than the all-reduce "
              "(10 ms); issued before mm_1, it would have 1 ms more compute to hide behind");
}

TEST_F(Exposure, WindowTooShortAndNothingToGain) {
    const NodeId producer = sketch.compute("mm", {x}, 5);
    const NodeId reduce = sketch.reduce("reduce", producer, 10);
    sketch.compute("mm_2", {x}, 4);
    sketch.wait("waited", reduce);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::window_too_short);
    EXPECT_EQ(timing.blocker, no_node);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 6 ms: the time between its start and its wait (4 ms) is shorter than the all-reduce "
              "(10 ms); it cannot start earlier, since mm ends at 5 ms");
}

TEST_F(Exposure, OrderOfIssue) {
    const NodeId first = sketch.compute("mm", {x}, 8);
    const NodeId gather = sketch.gather("gather", x, 4);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::order_of_issue);
    EXPECT_EQ(timing.producer, no_node);
    EXPECT_EQ(timing.start_before, first);
    EXPECT_EQ(timing.hidden_if_earlier_ms, 4);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: it is issued right before waited, though its input is an input of the graph; the "
              "all-gather takes 4 ms; issued before mm, it would have enough compute to hide behind");
}

TEST_F(Exposure, PreparationOfTheCollectiveMovesAlong) {
    // The cast right before the gather serves nothing else, so it does not tie the gather to its place.
    const NodeId first = sketch.compute("mm", {x}, 8);
    const NodeId cast = sketch.cast("cast", x, 0.5);
    const NodeId gather = sketch.gather("gather", cast, 4);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::order_of_issue);
    EXPECT_EQ(timing.earliest_ms, 0.5);
    EXPECT_EQ(timing.producer, no_node);
    EXPECT_EQ(timing.start_before, first);  // not the cast, which comes along
    EXPECT_EQ(timing.hidden_if_earlier_ms, 4);
}

TEST_F(Exposure, PreparationThatIsTakenTwiceCountsOnce) {
    sketch.compute("mm", {x}, 8);
    const NodeId both = sketch.cast("both", x, 0.5);
    const NodeId first = sketch.cast("first", both, 0.25), second = sketch.cast("second", both, 0.25);
    const NodeId gather = sketch.call(
        "gather", "_c10d_functional.all_gather_into_tensor_coalesced.default",
        {sketch.list({Value::of_node(first), Value::of_node(second)}), Value::of_integer(4), sketch.text("0")},
        {sketch.bytes(64), sketch.bytes(64)}, 4.0);
    sketch.wait("waited", sketch.item("item", gather, 0));
    EXPECT_EQ(run(0).earliest_ms, 1);
}

TEST_F(Exposure, TheLatestPlaceThatHidesItIsNamed) {
    sketch.compute("mm", {x}, 2);
    const NodeId latest = sketch.compute("mm_1", {x}, 3);
    const NodeId gather = sketch.gather("gather", x, 10);
    sketch.compute("mm_2", {x}, 7);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.start_before, latest);  // at 2 ms it ends when it is awaited, at 12
    EXPECT_EQ(timing.hidden_if_earlier_ms, 3);
}

TEST_F(Exposure, HardlyAnyComputeIsNoPlaceForACollective) {
    sketch.compute("mm", {x}, 0.2);
    const NodeId gather = sketch.gather("gather", x, 4);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::producer_late);
    EXPECT_EQ(timing.start_before, no_node);
}

TEST_F(Exposure, ItsOwnPreparationBehindAnotherWaitHidesNothing) {
    const NodeId producer = sketch.compute("mm", {x}, 2);
    const NodeId other = sketch.reduce("other", x, 3);
    sketch.wait("waited_for_other", other);
    const NodeId cast = sketch.cast("cast", producer, 1);
    const NodeId second_cast = sketch.cast("cast_1", cast, 1);
    const NodeId reduce = sketch.reduce("reduce", second_cast, 4);
    sketch.wait("waited", reduce);
    const CollectiveTiming& timing = run(1);
    EXPECT_EQ(timing.cause, ExposureCause::order_of_issue);
    EXPECT_EQ(timing.producer, producer);
    EXPECT_EQ(timing.earliest_ms, 4);
    EXPECT_EQ(timing.start_before, no_node);
    EXPECT_EQ(
        simulation.explain(graph, 1),
        "waits 4 ms: it is issued right before waited, though its input could have been ready 3 ms earlier, 2 ms after "
        "mm; the all-reduce takes 4 ms; starting earlier would hide no more of it, since only its own preparation is "
        "computed meanwhile");
}

TEST_F(Exposure, PreparationOfAnInputOfTheGraphIsTold) {
    const NodeId first = sketch.compute("mm", {x}, 8);
    const NodeId gather = sketch.gather("gather", sketch.cast("cast", x, 0.5), 4);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::order_of_issue);
    EXPECT_EQ(timing.start_before, first);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: it is issued right before waited, though its input needs inputs of the graph alone; the "
              "all-gather takes 4 ms; issued before mm, it would have enough compute to hide behind");
}

TEST_F(Exposure, AnInputThatIsPreparedLateCouldBeReadyEarlier) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    sketch.compute("mm_1", {x}, 0.25);
    const NodeId reduce = sketch.reduce("reduce", sketch.cast("cast", producer, 0.5), 4);
    sketch.wait("waited", reduce);
    EXPECT_EQ(run(0).cause, ExposureCause::producer_late);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: its input, which needs mm, could be ready only 0.25 ms before waited; the all-reduce takes "
              "4 ms, and it cannot be waited for later, since no compute comes after its wait");
}

TEST_F(Exposure, ItsOwnPreparationIsNoPlaceForACollective) {
    const NodeId producer = sketch.compute("mm", {x}, 2);
    sketch.compute("mm_1", {x}, 1);
    const NodeId last = sketch.compute("mm_2", {x}, 8);
    const NodeId cast = sketch.cast("cast", producer, 1);
    const NodeId reduce = sketch.reduce("reduce", cast, 4);
    sketch.wait("waited", reduce);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.producer, producer);
    EXPECT_EQ(timing.start_before, last);  // with the cast, of which nothing hides any part
    EXPECT_EQ(timing.hidden_if_earlier_ms, 4);
}

TEST_F(Exposure, PreparationThatOthersUseDoesNotMove) {
    const NodeId cast = sketch.cast("cast", x, 0.5);
    const NodeId gather = sketch.gather("gather", cast, 4);
    sketch.wait("waited", gather);
    sketch.compute("mm", {cast}, 1);
    EXPECT_EQ(run(0).producer, cast);
}

TEST_F(Exposure, ViewsTieNothing) {
    const NodeId producer = sketch.compute("mm", {x}, 2);
    const NodeId busy = sketch.compute("mm_1", {x}, 8);
    const NodeId item = sketch.item("item", producer, 0);
    const NodeId reduce = sketch.reduce("reduce", item, 4);
    sketch.wait("waited", reduce);
    sketch.compute("mm_2", {item}, 1);  // a user of the view that comes later
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::order_of_issue);
    EXPECT_EQ(timing.producer, producer);
    EXPECT_EQ(timing.earliest_ms, 2);
    EXPECT_EQ(timing.blocker, busy);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: it is issued right before waited, though its input was ready 8 ms earlier, after "
              "mm; the all-reduce takes 4 ms; issued before mm_1, it would have enough compute to hide behind");
}

TEST_F(Exposure, ProducerLate) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    const NodeId reduce = sketch.reduce("reduce", producer, 4);
    sketch.wait("waited", reduce);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::producer_late);
    EXPECT_EQ(timing.blocker, producer);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: its input, which needs mm, is ready right before waited; the all-reduce takes 4 ms, and it "
              "cannot be waited for later, since no compute comes after its wait");
}

TEST_F(Exposure, ComputeThatNeedsItIsToldFromNoComputeAtAll) {
    const NodeId reduce = sketch.reduce("reduce", sketch.compute("mm", {x}, 8), 4);
    const NodeId part = sketch.item("part", sketch.wait("waited", reduce), 0);
    sketch.compute("mm_1", {part}, 3);
    run(0);
    EXPECT_TRUE(simulation.explain(graph, 0).ends_with("since all compute of the forward after its wait needs it"))
        << simulation.explain(graph, 0);
}

TEST_F(Exposure, ALaterWaitIsNamedWhereItIsPossible) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    const NodeId reduce = sketch.reduce("reduce", producer, 4);
    const NodeId waited = sketch.wait("waited", reduce);
    sketch.compute("mm_1", {x}, 3);
    const NodeId needs = sketch.compute("mm_2", {waited}, 5);
    sketch.compute("mm_3", {needs}, 5);
    run(0);
    EXPECT_TRUE(simulation.explain(graph, 0).ends_with(
        "; waited for only after mm_1, it would have 3 ms more compute to hide behind"))
        << simulation.explain(graph, 0);
    const LaterWait part = later_wait(graph, simulation, 0, {});
    EXPECT_EQ(graph.name(part.after), "mm_1");
    EXPECT_EQ(part.hidden_ms, 3);
    EXPECT_FALSE(part.moves_dependents);
}

TEST_F(Exposure, BeyondWhatNeedsItALaterWaitMovesThat) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    const NodeId reduce = sketch.reduce("reduce", producer, 4);
    const NodeId waited = sketch.wait("waited", reduce);
    sketch.compute("mm_1", {waited}, 3);
    sketch.compute("mm_2", {x}, 5);
    sketch.compute("mm_3", {x}, 5);
    run(0);
    EXPECT_TRUE(simulation.explain(graph, 0).ends_with(
        "; waited for, with what needs it, only after mm_2, it would have enough compute to hide behind"))
        << simulation.explain(graph, 0);
}

/// Names of what packs a bucket do not last, and its place is not the user's to choose.
TEST_F(Exposure, NothingWaitsBehindWhatPacksABucket) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    const NodeId reduce = sketch.reduce("reduce", producer, 4);
    const NodeId waited = sketch.wait("waited", reduce);
    const NodeId pack = sketch.compute("pack", {x}, 3);
    const NodeId last = sketch.compute("mm_1", {x}, 2);
    sketch.compute("mm_2", {waited}, 5);
    run(0);
    std::vector<std::int32_t> bucket_of_node(graph.node_count(), -1);
    bucket_of_node[pack] = 0;
    const LaterWait later = later_wait(graph, simulation, 0, {.bucket_of_node = bucket_of_node});
    EXPECT_EQ(later.after, last);
    EXPECT_EQ(later.hidden_ms, 4);
    bucket_of_node[last] = 0;
    EXPECT_EQ(later_wait(graph, simulation, 0, {.bucket_of_node = bucket_of_node}).after, no_node);
    // The sentence does not say that packing needs it.
    EXPECT_TRUE(explain_exposure(simulation, graph, 0, {.bucket_of_node = bucket_of_node})
                    .ends_with("since all compute of the forward after its wait needs it or packs a bucket"));
}

/// What the collective's group issues next comes behind it, and so does what needs that.
TEST_F(Exposure, ALaterWaitKeepsTheOrderOfGroupsAndOverlapsByHand) {
    const NodeId producer = sketch.compute("mm", {x}, 8);
    const NodeId reduce = sketch.reduce("reduce", producer, 4);
    const NodeId waited = sketch.wait("waited", reduce);
    const NodeId second = sketch.reduce("second", waited, 1);
    const NodeId third = sketch.gather("third", x, 1);
    sketch.wait("waited_second", second);
    const NodeId gathered = sketch.wait("waited_third", third);
    const NodeId last = sketch.compute("mm_1", {gathered}, 5);
    run(0);
    EXPECT_EQ(later_wait(graph, simulation, 0, {}).after, no_node);
    EXPECT_EQ(later_wait(graph, simulation, 0, {.groups_keep_order = false}).after, last);
    EXPECT_EQ(later_wait(graph, simulation, 0, {.groups_keep_order = false, .further = {{last, waited}}}).after,
              no_node);
}

TEST_F(Exposure, ACollectiveAtTheStartOfTheGraphIsLateToo) {
    const NodeId gather = sketch.gather("gather", x, 4);
    sketch.wait("waited", gather);
    const CollectiveTiming& timing = run(0);
    EXPECT_EQ(timing.cause, ExposureCause::producer_late);
    EXPECT_EQ(timing.blocker, no_node);
    EXPECT_EQ(simulation.explain(graph, 0),
              "waits 4 ms: it starts the graph, right before waited; the all-gather takes 4 ms, and it cannot be "
              "waited for later, since no compute comes after its wait");
}

TEST_F(Exposure, EveryCauseHasAName) {
    EXPECT_EQ(exposure_cause_name(ExposureCause::none), "none");
    EXPECT_EQ(exposure_cause_name(ExposureCause::producer_late), "producer_late");
    EXPECT_EQ(exposure_cause_name(ExposureCause::window_too_short), "window_too_short");
    EXPECT_EQ(exposure_cause_name(ExposureCause::group_busy), "group_busy");
    EXPECT_EQ(exposure_cause_name(ExposureCause::order_of_issue), "order_of_issue");
}

}  // namespace
}  // namespace overlap::test
