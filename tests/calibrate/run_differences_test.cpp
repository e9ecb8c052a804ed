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

TEST(RunDifferences, OfARunWithoutTimesOfNodesThereAreNone) {
    const RunDifferences differences = run_differences(*graph(), node_times_ms(*graph()), {});
    EXPECT_TRUE(differences.nodes.empty());
    EXPECT_TRUE(differences.sums.empty());
    EXPECT_GT(differences.not_measured, 0u);
}

}  // namespace
}  // namespace overlap
