// Each sentence of the stream model (docs/formats.md) on graphs whose timeline can be reckoned by hand.
#include "core/simulate/simulation.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

class StreamModel : public ::testing::Test {
  protected:
    void run(SimulationOptions options = {}) {
        graph = sketch.finish();
        simulation = simulate(graph, node_times_ms(graph), options);
    }
    void expect_times(NodeId node, double start_ms, double end_ms) const {
        EXPECT_DOUBLE_EQ(simulation.nodes[node].start_ms, start_ms) << graph.name(node);
        EXPECT_DOUBLE_EQ(simulation.nodes[node].end_ms, end_ms) << graph.name(node);
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(16));
    Graph graph;
    Simulation simulation;
};

TEST_F(StreamModel, ComputeRunsInOrderOnOneStream) {
    const NodeId first = sketch.compute("first", {x}, 2);
    const NodeId second = sketch.compute("second", {x}, 3);
    run();
    expect_times(first, 0, 2);
    expect_times(second, 2, 5);
    EXPECT_EQ(simulation.step_ms, 5);
    EXPECT_EQ(simulation.compute_ms, 5);
    EXPECT_EQ(simulation.exposed_ms, 0);
    EXPECT_TRUE(simulation.collectives.empty());
}

TEST_F(StreamModel, ACollectiveRunsBesideCompute) {
    const NodeId gather = sketch.gather("gather", x, 4);
    const NodeId beside = sketch.compute("beside", {x}, 10);
    const NodeId waited = sketch.wait("waited", gather);
    run();
    expect_times(gather, 0, 4);
    expect_times(beside, 0, 10);
    expect_times(waited, 10, 10);
    EXPECT_EQ(simulation.exposed_ms, 0);
    EXPECT_EQ(simulation.step_ms, 10);
    EXPECT_EQ(simulation.collectives[0].cause, ExposureCause::none);
    EXPECT_EQ(simulation.explain(graph, 0), "");
}

TEST_F(StreamModel, ItStartsWhenComputeHasFinishedWhatWasIssuedBefore) {
    sketch.compute("before", {x}, 3);
    const NodeId gather = sketch.gather("gather", x, 4);
    run();
    expect_times(gather, 3, 7);
    EXPECT_EQ(simulation.step_ms, 7);  // the latest end over all streams, though nothing waits
    EXPECT_EQ(simulation.collectives[0].wait, no_node);
    EXPECT_EQ(simulation.exposed_ms, 0);
}

TEST_F(StreamModel, AWaitHoldsTheComputeStream) {
    const NodeId gather = sketch.gather("gather", x, 4);
    sketch.compute("beside", {x}, 1);
    const NodeId waited = sketch.wait("waited", gather);
    const NodeId after = sketch.compute("after", {waited}, 2);
    run();
    expect_times(waited, 1, 4);
    expect_times(after, 4, 6);
    EXPECT_EQ(simulation.exposed_ms, 3);
    EXPECT_EQ(simulation.compute_ms, 3);
    EXPECT_EQ(simulation.collectives[0].wait, waited);
    EXPECT_EQ(simulation.collectives[0].exposed_ms, 3);
}

TEST_F(StreamModel, ASecondWaitAddsNothing) {
    const NodeId gather = sketch.gather("gather", x, 4);
    const NodeId first = sketch.wait("first", gather);
    const NodeId second = sketch.wait("second", gather);
    run();
    expect_times(second, 4, 4);
    EXPECT_EQ(simulation.exposed_ms, 4);
    EXPECT_EQ(simulation.collectives[0].wait, first);
}

TEST_F(StreamModel, CollectivesOfAGroupFollowOneAnother) {
    const NodeId first = sketch.gather("first", x, 4);
    const NodeId second = sketch.gather("second", x, 2);
    run();
    expect_times(first, 0, 4);
    expect_times(second, 4, 6);
    ASSERT_EQ(simulation.groups.size(), 1u);
    EXPECT_EQ(simulation.groups[0].comm_ms, 6);
    EXPECT_EQ(simulation.groups[0].collectives, 2u);
}

TEST_F(StreamModel, GroupsHaveStreamsOfTheirOwn) {
    sketch.group("1", 2, 0, 1e9);
    const NodeId first = sketch.gather("first", x, 4, "1");
    const NodeId second = sketch.reduce("second", x, 2, "0");
    const NodeId waited = sketch.wait("waited", first);
    run();
    expect_times(first, 0, 4);
    expect_times(second, 0, 2);
    ASSERT_EQ(simulation.groups.size(), 2u);
    EXPECT_EQ(simulation.groups[0].process_group, "1");  // in order of first use
    EXPECT_EQ(simulation.groups[1].process_group, "0");
    EXPECT_EQ(simulation.groups[0].exposed_ms, 4);
    EXPECT_EQ(simulation.groups[1].exposed_ms, 0);
    EXPECT_EQ(simulation.collectives[1].kind, CollectiveKind::all_reduce);
    EXPECT_EQ(simulation.collectives[1].bytes, 16);
    EXPECT_EQ(waited, simulation.collectives[0].wait);
}

TEST_F(StreamModel, AWaitAlsoHoldsCollectivesThatAreIssuedAfterIt) {
    sketch.group("1", 2, 0, 1e9);
    const NodeId first = sketch.gather("first", x, 4, "1");
    sketch.wait("waited", first);
    const NodeId second = sketch.gather("second", x, 2, "0");
    run();
    expect_times(second, 4, 6);
}

TEST_F(StreamModel, WaitsReachThroughOneGetitemAndNoMore) {
    const NodeId gather = sketch.call("gather", "_c10d_functional.all_gather_into_tensor_coalesced.default",
                                      {sketch.list({Value::of_node(x)}), Value::of_integer(4), sketch.text("0")},
                                      {sketch.bytes(64), sketch.bytes(64)}, 4.0);
    const NodeId item = sketch.item("item", gather, 0);
    const NodeId nested = sketch.item("nested", item, 0);
    const NodeId too_far = sketch.wait("too_far", nested);
    const NodeId waited = sketch.wait("waited", item);
    const NodeId other = sketch.wait("other", sketch.item("other_item", gather, 1));
    run();
    expect_times(too_far, 0, 0);
    expect_times(waited, 0, 4);
    expect_times(other, 4, 4);
    EXPECT_EQ(simulation.collectives[0].bytes, 128);
}

TEST_F(StreamModel, AWaitForNothingIsAnOrdinaryNode) {
    const NodeId waited = sketch.wait("waited", x);
    run();
    expect_times(waited, 0, 0);
}

TEST_F(StreamModel, TheHostTakesItsTimeForEachNode) {
    // x costs nothing; gather is issued at 1 ms, beside at 2, waited at 3.
    const NodeId gather = sketch.gather("gather", x, 4);
    const NodeId beside = sketch.compute("beside", {x}, 0.5);
    const NodeId waited = sketch.wait("waited", gather);
    const NodeId after = sketch.compute("after", {waited}, 1);
    run({.launch_us = 1000});
    expect_times(gather, 1, 5);
    expect_times(beside, 2, 2.5);
    expect_times(waited, 3, 5);  // until 3 it is the host that the stream waits for
    expect_times(after, 5, 6);
    EXPECT_EQ(simulation.exposed_ms, 2);
    EXPECT_EQ(simulation.collectives[0].issue_ms, 1);
}

TEST_F(StreamModel, ControlDepsStandForWhatTheyWrap) {
    const auto wrap = [&](const std::string& name, NodeId input, double time_ms) {
        const NodeId subgraph = sketch.get_attr("subgraph_" + name, "subgraph_" + name);
        return sketch.call(name, "higher_order.control_deps",
                           {sketch.list({Value::of_node(x)}), Value::of_node(subgraph), Value::of_node(input)},
                           {sketch.bytes(64)}, time_ms);
    };
    const NodeId gather = wrap("all_gather_into_tensor_3", x, 4);
    const NodeId beside = wrap("mm_2", x, 1);
    const NodeId waited = wrap("wait_tensor_8", gather, 7);  // estimates of waits are artefacts of the writer
    run();
    expect_times(gather, 0, 4);
    expect_times(beside, 0, 1);
    expect_times(waited, 1, 4);
    ASSERT_EQ(simulation.collectives.size(), 1u);
    EXPECT_EQ(simulation.collectives[0].bytes, 64);
    EXPECT_EQ(simulation.groups[0].process_group, "0");
    EXPECT_EQ(simulation.exposed_ms, 3);
    EXPECT_EQ(simulation.compute_ms, 1);
}

TEST_F(StreamModel, APlainWaitFindsAWrappedCollective) {
    const NodeId subgraph = sketch.get_attr("subgraph_all_reduce", "subgraph_all_reduce");
    const NodeId reduce =
        sketch.call("all_reduce", "higher_order.control_deps",
                    {sketch.list({}), Value::of_node(subgraph), Value::of_node(x)}, {sketch.bytes(16)}, 4.0);
    const NodeId waited = sketch.wait("waited", reduce);
    run();
    expect_times(waited, 0, 4);
}

TEST_F(StreamModel, NumbersFindTheirCollectives) {
    const NodeId gather = sketch.gather("gather", x, 4);
    run();
    EXPECT_EQ(simulation.collective_of_node[gather], 0);
    EXPECT_EQ(simulation.collective_of_node[x], -1);
    EXPECT_EQ(simulation.collectives[0].start, gather);
}

TEST_F(StreamModel, AStoppedSimulationReturns) {
    sketch.compute("mm", {x}, 4);
    graph = sketch.finish();
    std::stop_source stop;
    stop.request_stop();
    const Simulation stopped = simulate(graph, std::vector<double>{5, 4, 0}, {}, stop.get_token());
    EXPECT_EQ(stopped.step_ms, 0);
    EXPECT_EQ(stopped.nodes[0].end_ms, 0) << "not even the first node";
}

TEST_F(StreamModel, AGraphMayBeginWithCompute) {
    GraphSketch own;
    own.compute("first", {}, 2);
    const Graph without_input = own.finish();
    const Simulation found = simulate(without_input, node_times_ms(without_input));
    EXPECT_EQ(found.compute_ms, 2);
    EXPECT_EQ(found.step_ms, 2);
}

TEST_F(StreamModel, AnEmptyGraphTakesNoTime) {
    const Graph empty = GraphBuilder().finish({});
    EXPECT_EQ(simulate(empty, {}).step_ms, 0);
}

}  // namespace
}  // namespace overlap::test
