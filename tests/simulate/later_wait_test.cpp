// Where a collective can be waited for later (core/simulate/issue_order.h).
#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
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

/// Of a loss in chunks, forward and backward nodes alternate.
TEST_F(LaterWaitInBackward, AWaitBehindTheBackwardOfAnotherChunkIsWhereItSaysOrItsUserDoes) {
    NodeMetadata traced;
    traced.sequence_number = 7;
    const auto forward = [&](std::string_view name, std::string_view target, NodeId input) {
        const TensorMeta output = sketch.tensor("float32", {2, 2});
        const Value argument = Value::of_node(input);
        return sketch.builder().call(name, target, std::span(&argument, 1), std::span(&output, 1), traced);
    };
    const NodeId packed = sketch.compute("packed", {x}, 1);
    backward("of_first_chunk", x, 3);
    const NodeId traced_wait = forward("traced", "_c10d_functional.wait_tensor.default", sketch.reduce("a", packed, 4));
    const NodeId merged = sketch.wait("merged", sketch.reduce("b", packed, 4));
    forward("of_second_chunk", "aten.mm.default", sketch.compute("unpacked", {merged}, 1));
    const NodeId of_backward = sketch.wait("of_backward", sketch.reduce("c", packed, 4));
    backward("of_second_chunk_1", of_backward, 3);
    const NodeId unused = sketch.wait("unused", sketch.reduce("d", packed, 4));
    graph = sketch.finish();
    EXPECT_FALSE(waits_in_backward(graph, traced_wait));
    EXPECT_FALSE(waits_in_backward(graph, merged));
    EXPECT_TRUE(waits_in_backward(graph, of_backward));
    EXPECT_TRUE(waits_in_backward(graph, unused)) << "nothing says anything but its place";
}

/// As an update of a parameter, which says forward, uses the reduced gradient.
TEST_F(LaterWaitInBackward, WhatNeedsTheBackwardIsPartOfItWhoeverUsesIt) {
    const NodeId waited = reduced(sketch.compute("packed", {backward("mm", x, 8)}, 1));
    NodeMetadata traced;
    traced.sequence_number = 7;
    const Value argument = Value::of_node(waited);
    const TensorMeta output = sketch.tensor("float32", {2, 2});
    sketch.builder().call("update", "aten.mul.Tensor", {&argument, 1}, {&output, 1}, traced);
    graph = sketch.finish();
    EXPECT_TRUE(waits_in_backward(graph, waited));
}

/// Each wait of a traced graph says of itself where it is.
TEST(WaitsOfATracedGraph, AreWhereItSays) {
    const auto file = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
    const Graph& graph = *file;
    std::size_t backward = 0, forward = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || !graph.target_info(node).is_wait) continue;
        const bool is_backward = graph.metadata(node).autograd_backward.value_or(false);
        ++(is_backward ? backward : forward);
        EXPECT_EQ(waits_in_backward(graph, node), is_backward) << graph.name(node);
    }
    EXPECT_EQ(forward, 95u);
    EXPECT_EQ(backward, 146u);
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
