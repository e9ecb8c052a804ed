// Where a collective can be waited for later (core/simulate/issue_order.h).
#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/simulate/issue_order.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// A reduction of 4 ms that is awaited right behind what it needs.
class LaterWaitTest : public ::testing::Test {
  protected:
    LaterWait later(const IssueOrder& order = {}) {
        graph = sketch.finish();
        simulation = simulate(graph, node_times_ms(graph));
        return later_wait(graph, simulation, 0, order);
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(16));
    NodeId waited = sketch.wait("waited", sketch.reduce("reduce", sketch.compute("mm", {x}, 8), 4));
    Graph graph;
    Simulation simulation;
};

TEST_F(LaterWaitTest, IsAsLateAsNothingNeedsIt) {
    sketch.compute("long", {x}, 5);
    const NodeId last = sketch.compute("last", {x}, 2);
    sketch.compute("needs", {waited}, 1);
    sketch.compute("behind", {x}, 9);
    const LaterWait found = later();
    EXPECT_EQ(found.after, last);
    EXPECT_EQ(found.hidden_ms, 4);
    EXPECT_FALSE(found.moves_dependents);
}

TEST_F(LaterWaitTest, GoesBehindWhatNeedsItUntilAllIsHidden) {
    sketch.compute("first", {x}, 3);
    sketch.compute("needs", {waited}, 1);
    sketch.compute("second", {x}, 0.5);
    const NodeId third = sketch.compute("third", {x}, 2);
    sketch.compute("behind", {x}, 9);
    const LaterWait found = later();
    EXPECT_EQ(found.after, third);
    EXPECT_EQ(found.hidden_ms, 4);
    EXPECT_TRUE(found.moves_dependents);
}

TEST_F(LaterWaitTest, OnlyWhatAnOverlapByHandTiesToItComesBehindIt) {
    const NodeId tied = sketch.compute("tied", {x}, 2);
    const NodeId needs_tied = sketch.compute("needs_tied", {tied}, 1);
    const NodeId free = sketch.compute("free", {x}, 1);
    IssueOrder order;
    EXPECT_EQ(later(order).after, free);
    order.further = {{tied, waited}};
    const LaterWait found = later_wait(graph, simulation, 0, order);
    EXPECT_EQ(found.after, free);
    EXPECT_EQ(found.hidden_ms, 1) << "of " << graph.name(tied) << " and " << graph.name(needs_tied) << " nothing";
    EXPECT_TRUE(found.moves_dependents);
}

/// Compute of the backward pass; waits of merged collectives, which passes made, say nothing of themselves.
class LaterWaitInBackward : public ::testing::Test {
  protected:
    NodeId backward(std::string_view name, NodeId input, double time_ms) {
        NodeMetadata metadata;
        metadata.estimate_ms = time_ms;
        metadata.autograd_backward = true;
        const TensorMeta output = sketch.tensor("float32", {2, 2});
        const Value argument = Value::of_node(input);
        return sketch.builder().call(name, "aten.mm.default", {&argument, 1}, {&output, 1}, metadata);
    }
    NodeId reduced(NodeId source) { return sketch.wait("waited", sketch.reduce("reduce", source, 4)); }
    LaterWait later() {
        graph = sketch.finish();
        simulation = simulate(graph, node_times_ms(graph));
        return later_wait(graph, simulation, 0, {});
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(16));
    Graph graph;
    Simulation simulation;
};

TEST_F(LaterWaitInBackward, AWaitBehindComputeOfTheBackwardPassIsPartOfIt) {
    const NodeId waited = reduced(backward("mm", x, 8));
    const NodeId free = backward("free", x, 3);
    backward("needs", waited, 5);
    const LaterWait found = later();
    EXPECT_TRUE(waits_in_backward(graph, waited));
    EXPECT_EQ(found.after, free);
    EXPECT_EQ(found.hidden_ms, 3);
}

TEST_F(LaterWaitInBackward, WhatTheForwardAwaitsIsNotAwaitedInTheBackward) {
    const NodeId waited = reduced(sketch.compute("mm", {x}, 8));
    sketch.compute("needs", {waited}, 1);
    backward("free", x, 3);
    const LaterWait found = later();
    EXPECT_FALSE(waits_in_backward(graph, waited));
    EXPECT_EQ(found.after, no_node);
}

TEST_F(LaterWaitInBackward, WhereNothingIsFreeTheReasonNamesTheRightPass) {
    const NodeId waited = reduced(backward("mm", x, 8));
    backward("needs", waited, 5);
    later();
    EXPECT_TRUE(simulation.explain(graph, 0).ends_with("since all compute of the backward after its wait needs it"))
        << simulation.explain(graph, 0);
}

/// A collective of several tensors has a wait for each; those of another one are none of its own.
TEST(LaterWaitOfSeveralTensors, MovesAllOfItsWaits) {
    GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.bytes(16));
    const auto gather = [&](std::string_view name, std::string_view group) {
        return sketch.call(
            name, "_c10d_functional.all_gather_into_tensor_coalesced.default",
            {sketch.list({Value::of_node(x), Value::of_node(x)}), Value::of_integer(4), sketch.text(group)},
            {sketch.bytes(64), sketch.bytes(64)}, 6.0);
    };
    const NodeId own = gather("own", "0"), other = gather("other", "1");
    const NodeId first = sketch.item("first", own, 0), second = sketch.item("second", own, 1);
    const NodeId of_other = sketch.item("of_other", other, 0);
    sketch.wait("waited_first", first);
    const NodeId waited_second = sketch.wait("waited_second", second);
    const NodeId waited_other = sketch.wait("waited_other", of_other);
    sketch.compute("needs_own", {waited_second}, 3);
    const NodeId needs_other = sketch.compute("needs_other", {waited_other}, 2);
    const Graph graph = sketch.finish();
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    const LaterWait found = later_wait(graph, simulation, 0, {});
    EXPECT_EQ(found.after, needs_other);
    EXPECT_EQ(found.hidden_ms, 2);
}

}  // namespace
}  // namespace overlap::test
