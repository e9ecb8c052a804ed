#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "core/cost/host_transfers.h"
#include "core/simulate/contention.h"
#include "core/simulate/simulation.h"
#include "core/simulate/simulation_totals.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// A tensor of 4 MB that goes to the host behind 3 ms of compute and comes back: 4 ms a copy at 1 GB/s.
class HostCopiesTest : public testing::Test {
  protected:
    Graph offloaded(double forward_ms, double backward_ms) {
        sketch_.header().cost->host_link_bytes_per_s = 1e9;
        const NodeId x = sketch_.input("x", sketch_.bytes(8));
        const TensorMeta kept = sketch_.bytes(size);
        const TensorMeta host = sketch_.bytes(size, {}, "cpu");
        const NodeId made = sketch_.call("made", "aten.mm.default", GraphSketch::values({x}), {kept}, 1);
        const NodeId out = sketch_.call("out", "ao.offload.default", GraphSketch::values({made}), {host}, 0.001);
        sketch_.compute("forward", {made}, forward_ms);
        const NodeId there =
            sketch_.call("there", "ao.wait_tensor.default", {Value::of_node(out), Value::of_node(made)}, {host}, 7);
        sketch_.compute("between", {x}, 2);
        const NodeId back = sketch_.call("back", "ao.reload.default", GraphSketch::values({there}), {kept});
        sketch_.compute("backward", {x}, backward_ms);
        const NodeId here = sketch_.call("here", "ao.wait_tensor.default", GraphSketch::values({back}), {kept});
        return sketch_.finish({sketch_.compute("end", {here}, 1)});
    }
    static const NodeTiming& timing(const Graph& graph, const Simulation& simulation, std::string_view name) {
        return simulation.nodes[graph.find(name)];
    }

    static constexpr std::int64_t size = 4'000'000;
    GraphSketch sketch_;
};

TEST_F(HostCopiesTest, TakeWhatTheLinkCarriesWhateverTheFileSays) {
    const Graph graph = offloaded(3, 3);
    const std::vector<double> times = node_times_ms(graph);
    EXPECT_EQ(times[graph.find("out")], 4);
    EXPECT_EQ(times[graph.find("back")], 4);
    EXPECT_EQ(times[graph.find("there")], 0);
    EXPECT_EQ(host_link_bytes_per_s(GraphSketch().finish()), usual_host_link_bytes_per_s);
}

TEST_F(HostCopiesTest, RunBesideComputeAndAreAwaited) {
    const Graph graph = offloaded(3, 1);
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    ASSERT_EQ(simulation.transfers.size(), 2u);
    const TransferTiming &to = simulation.transfers[0], &from = simulation.transfers[1];
    EXPECT_TRUE(to.to_host);
    EXPECT_FALSE(from.to_host);
    EXPECT_EQ(to.bytes, size);
    EXPECT_EQ(to.start_ms, 1);  // once the tensor is there
    EXPECT_EQ(to.end_ms, 5);
    EXPECT_EQ(to.exposed_ms, 1);  // compute got to the wait at 4
    EXPECT_EQ(timing(graph, simulation, "between").start_ms, 5);
    EXPECT_EQ(from.start_ms, 7);
    EXPECT_EQ(from.exposed_ms, 3);
    EXPECT_EQ(simulation.transfer_exposed_ms, 4);
    EXPECT_EQ(simulation.exposed_ms, 0);
    EXPECT_EQ(simulation.compute_ms, 1 + 3 + 2 + 1 + 1);
    EXPECT_EQ(simulation.step_ms, 12);
    EXPECT_EQ(idle_ms(simulation), 0);
    EXPECT_FALSE(simulation.on_compute(graph.find("out")));
    EXPECT_TRUE(simulation.on_compute(graph.find("there")));
}

TEST_F(HostCopiesTest, OneStreamRunsThemOneAfterTheOther) {
    sketch_.header().cost->host_link_bytes_per_s = 1e9;
    const NodeId x = sketch_.input("x", sketch_.bytes(size));
    const TensorMeta host = sketch_.bytes(size, {}, "cpu");
    const NodeId first = sketch_.call("first", "ao.offload.default", GraphSketch::values({x}), {host});
    const NodeId second = sketch_.call("second", "ao.offload.default", GraphSketch::values({x}), {host});
    const Graph graph = sketch_.finish({first, second});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    EXPECT_EQ(simulation.transfers[1].start_ms, 4);
    EXPECT_EQ(simulation.step_ms, 8);
    EXPECT_EQ(simulation.compute_ms, 0);
}

TEST_F(HostCopiesTest, AWaitForNoCopyIsAnOrdinaryNode) {
    const NodeId x = sketch_.input("x", sketch_.bytes(size));
    const TensorMeta host = sketch_.bytes(size, {}, "cpu");
    const NodeId out = sketch_.call("out", "ao.offload.default", GraphSketch::values({x}), {host});
    const NodeId odd = sketch_.call("odd", "ao.wait_tensor.default", GraphSketch::values({x}), {host});
    const Graph graph = sketch_.finish({out, odd});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    EXPECT_EQ(simulation.transfers[0].wait, no_node);
    EXPECT_EQ(simulation.nodes[odd].end_ms, simulation.nodes[odd].start_ms);
    EXPECT_EQ(simulation.transfer_exposed_ms, 0);
}

TEST_F(HostCopiesTest, ContentionOfOthersDoesNotSlowThem) {
    const Graph graph = offloaded(3, 1);
    const std::vector<double> times = node_times_ms(graph);
    const Simulation plain = simulate(graph, times);
    const Simulation contended = simulate_with_contention(graph, times, {}).simulation;
    EXPECT_EQ(contended.step_ms, plain.step_ms);
    EXPECT_EQ(contended.transfer_exposed_ms, plain.transfer_exposed_ms);
    EXPECT_EQ(contended.transfers[1].end_ms, plain.transfers[1].end_ms);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        EXPECT_EQ(contended.nodes[node].start_ms, plain.nodes[node].start_ms) << graph.name(node);
        EXPECT_EQ(contended.nodes[node].end_ms, plain.nodes[node].end_ms) << graph.name(node);
    }
}

}  // namespace
}  // namespace overlap::test
