#include "core/simulate/hiding_compute.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

TEST(HidingCompute, IsWhatRunsMeanwhileTheLongestFirst) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(16));
    sketch.compute("before", {x}, 1);
    const NodeId gather = sketch.gather("gather", x, 10);
    const NodeId first = sketch.compute("first", {x}, 2);
    const NodeId longest = sketch.compute("longest", {x}, 6);
    const NodeId cut = sketch.compute("cut", {x}, 4);  // ends after the collective
    const NodeId waited = sketch.wait("waited", gather);
    sketch.compute("after", {waited}, 3);
    const Graph graph = sketch.finish();
    const std::vector<double> times_ms = node_times_ms(graph);
    const Simulation simulation = simulate(graph, times_ms);
    const std::vector<HidingNode> hiding = HidingCompute(graph, times_ms, simulation).of(simulation.collectives.at(0));
    ASSERT_EQ(hiding.size(), 3u);
    EXPECT_EQ(hiding[0].node, longest);
    EXPECT_DOUBLE_EQ(hiding[0].common_ms, 6);
    EXPECT_EQ(hiding[1].node, first);  // of equals the earlier one
    EXPECT_EQ(hiding[2].node, cut);
    EXPECT_DOUBLE_EQ(hiding[2].common_ms, 2);
}

TEST(HidingCompute, NothingHidesWhatIsAwaitedAtOnce) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(16));
    sketch.compute("before", {x}, 5);
    const NodeId waited = sketch.wait("waited", sketch.gather("gather", x, 10));
    sketch.compute("after", {waited}, 5);
    const Graph graph = sketch.finish();
    const std::vector<double> times_ms = node_times_ms(graph);
    const Simulation simulation = simulate(graph, times_ms);
    EXPECT_TRUE(HidingCompute(graph, times_ms, simulation).of(simulation.collectives.at(0)).empty());
}

}  // namespace
}  // namespace overlap::test
