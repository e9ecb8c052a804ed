#include "core/calibrate/run_differences.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> graph() {
    static const auto read =
        read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    return read;
}

NodeId first_of(ComputeClass compute_class) {
    const std::vector<ComputeClass> classes = compute_classes(*graph());
    return static_cast<NodeId>(std::ranges::find(classes, compute_class) - classes.begin());
}

TEST(RunDifferences, CopiesBetweenDeviceAndHostHaveASumOfTheirOwn) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId out =
        sketch.call("out", "ao.offload.default", test::GraphSketch::values({x}), {sketch.bytes(512, {}, "cpu")});
    const Graph copied = sketch.finish({out});
    RunnerTimes times;
    times.node_ms = {{"out", 3}};
    std::vector<double> predicted_ms(copied.node_count());
    predicted_ms[out] = 2;
    const RunDifferences differences = run_differences(copied, predicted_ms, times);
    ASSERT_EQ(differences.nodes.size(), 1u);
    EXPECT_EQ(differences.nodes[0].compute_class, ComputeClass::communication);
    ASSERT_EQ(differences.sums.size(), 1u);
    EXPECT_EQ(differences.sums[0].name, "copies between device and host");
    EXPECT_EQ(differences.sums[0].measured_ms, 3);
    EXPECT_EQ(differences.sums[0].predicted_ms, 2);
}

TEST(RunDifferences, TheLargestComesFirstAndSumsAreByClassAndGroup) {
    const std::vector<double> predicted_ms = node_times_ms(*graph());
    const NodeId product = first_of(ComputeClass::matrix_multiply), moved = first_of(ComputeClass::memory),
                 collective = first_of(ComputeClass::communication);
    RunnerTimes times;
    times.node_ms = {{std::string(graph()->name(product)), predicted_ms[product] + 1},
                     {std::string(graph()->name(moved)), predicted_ms[moved]},
                     {std::string(graph()->name(collective)), predicted_ms[collective] - 0.01}};
    const RunDifferences differences = run_differences(*graph(), predicted_ms, times);

    ASSERT_EQ(differences.nodes.size(), 3u);
    EXPECT_EQ(differences.nodes[0].node, product);
    EXPECT_NEAR(differences.nodes[0].difference_ms(), 1, 1e-12);
    EXPECT_EQ(differences.nodes[1].node, collective);
    EXPECT_EQ(differences.nodes[1].process_group, "0");
    EXPECT_EQ(differences.nodes[1].compute_class, ComputeClass::communication);
    EXPECT_EQ(differences.nodes[2].node, moved);
    EXPECT_EQ(differences.nodes[2].process_group, "");

    ASSERT_EQ(differences.sums.size(), 3u);
    EXPECT_EQ(differences.sums[0].name, "matrix_multiply");
    EXPECT_EQ(differences.sums[0].nodes, 1u);
    EXPECT_NEAR(differences.sums[0].measured_ms, predicted_ms[product] + 1, 1e-12);
    EXPECT_EQ(differences.sums[1].name, "memory");
    EXPECT_EQ(differences.sums[2].name, "0");
    EXPECT_TRUE(differences.sums[2].is_group);
    EXPECT_NEAR(differences.sums[2].predicted_ms, predicted_ms[collective], 1e-12);
    EXPECT_GT(differences.not_measured, 100u);
}

TEST(RunDifferences, SumsAreOfWhatTheStepRuns) {
    test::GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = sketch.reduce("first", x, 1, "0"), second = sketch.reduce("second", x, 1, "1");
    const NodeId third = sketch.reduce("third", x, 1, "1"), wait = sketch.wait("wait", first);
    const NodeId idle = sketch.cast("idle", x, 0), missing = sketch.cast("missing", x, 0);
    const Graph drawn = sketch.finish({wait, second, third, idle, missing});
    RunnerTimes times;
    // What is given, or waits, is no part of the sums, whatever a run has of it.
    times.node_ms = {{"x", 7}, {"wait", 9}, {"second", 3}, {"third", 5}};
    std::vector<double> predicted_ms(drawn.node_count());
    predicted_ms[first] = predicted_ms[second] = predicted_ms[third] = predicted_ms[missing] = 2;
    const RunDifferences differences = run_differences(drawn, predicted_ms, times);
    ASSERT_EQ(differences.nodes.size(), 2u);
    EXPECT_EQ(differences.nodes[0].node, third);
    EXPECT_EQ(differences.nodes[0].process_group, "1");
    ASSERT_EQ(differences.sums.size(), 1u);
    EXPECT_EQ(differences.sums[0].name, "1");
    EXPECT_EQ(differences.sums[0].nodes, 2u);
    EXPECT_EQ(differences.sums[0].predicted_ms, 4);
    EXPECT_EQ(differences.sums[0].measured_ms, 8);
    EXPECT_EQ(differences.not_measured, 2u);  // `first` and `missing`; `idle` was to take no time
}

TEST(RunDifferences, OfARunWithoutTimesOfNodesThereAreNone) {
    const RunDifferences differences = run_differences(*graph(), node_times_ms(*graph()), {});
    EXPECT_TRUE(differences.nodes.empty());
    EXPECT_TRUE(differences.sums.empty());
    EXPECT_GT(differences.not_measured, 0u);
}

}  // namespace
}  // namespace overlap
