// What each node does in the stream model, which collective a wait awaits, and what is copied to the host and back.

#include "core/cost/stream_steps.h"

#include <gtest/gtest.h>

#include "core/cost/control_deps.h"
#include "core/cost/host_transfers.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

using Kind = StreamStep::Kind;

class Steps : public ::testing::Test {
  protected:
    NodeId wait_for(std::string_view name, std::vector<Value> arguments) {
        return sketch.call(name, "_c10d_functional.wait_tensor.default", std::move(arguments),
                           {sketch.tensor("float32", {16})});
    }
    NodeId copy(std::string_view name, std::string_view target, NodeId source) {
        return sketch.call(name, target, GraphSketch::values({source}), {sketch.bytes(64)});
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
};

TEST_F(Steps, OfACollectiveAreItsStartAndItsFirstWait) {
    const NodeId gather = sketch.gather("gather", x, 1), first = sketch.wait("first", gather);
    const NodeId second = sketch.wait("second", gather);
    const StreamSteps steps = stream_steps(sketch.finish({first, second}));
    EXPECT_EQ(steps.of_node[x].kind, Kind::given);
    EXPECT_EQ(steps.of_node[gather].kind, Kind::collective);
    EXPECT_EQ(steps.of_node[first].kind, Kind::wait);
    EXPECT_EQ(steps.of_node[second].kind, Kind::wait);
    ASSERT_EQ(steps.collectives.size(), 1u);
    EXPECT_EQ(steps.collectives[0].node, gather);
    EXPECT_EQ(steps.collectives[0].kind, CollectiveKind::all_gather);
    EXPECT_EQ(steps.collectives[0].wait, first);
    EXPECT_EQ(steps.collectives[0].bytes, 64);  // what it returns is more than what it takes
    EXPECT_EQ(steps.groups, std::vector<std::string>{"0"});
}

TEST_F(Steps, OfGroupsFollowOneAnother) {
    sketch.group("1", 4, 0, 1e9);
    sketch.reduce("a", x, 1, "1");
    sketch.reduce("b", x, 1, "0");
    sketch.reduce("c", x, 1, "1");
    const StreamSteps steps = stream_steps(sketch.finish());
    EXPECT_EQ(steps.groups, (std::vector<std::string>{"1", "0"}));
    ASSERT_EQ(steps.collectives.size(), 3u);
    EXPECT_EQ(steps.collectives[0].previous, -1);
    EXPECT_EQ(steps.collectives[1].previous, -1);
    EXPECT_EQ(steps.collectives[2].previous, 0);
    EXPECT_EQ(steps.collectives[1].group, 1u);
}

TEST_F(Steps, WaitThroughAnItem) {
    const NodeId gather = sketch.gather("gather", x, 1), item = sketch.item("item", gather, 0);
    const NodeId waited = sketch.wait("waited", item);
    const StreamSteps steps = stream_steps(sketch.finish({waited}));
    EXPECT_EQ(steps.of_node[waited].kind, Kind::wait);
    EXPECT_EQ(steps.collectives.at(0).wait, waited);
}

TEST_F(Steps, OfAWaitForSomethingElseAreCompute) {
    const NodeId gather = sketch.gather("gather", x, 1);
    const NodeId computed = sketch.compute("computed", {x, x}, 1);
    const std::vector<NodeId> waits = {sketch.wait("of_input", x), sketch.wait("of_compute", computed),
                                       wait_for("of_number", {Value::of_integer(1)}), wait_for("of_nothing", {}),
                                       sketch.wait("of_item", sketch.item("item", computed, 0))};
    const StreamSteps steps = stream_steps(sketch.finish({gather}));
    for (const NodeId wait : waits) EXPECT_EQ(steps.of_node[wait].kind, Kind::compute) << wait;
    EXPECT_EQ(steps.collectives.at(0).wait, no_node);
}

TEST_F(Steps, OfControlDepsAreThoseOfWhatTheyWrap) {
    const auto wrap = [&](const std::string& name, NodeId input) {
        const NodeId subgraph = sketch.get_attr("subgraph_" + name, "subgraph_" + name);
        return sketch.call(name, "higher_order.control_deps",
                           {sketch.list({Value::of_node(x)}), Value::of_node(subgraph), Value::of_node(input)},
                           {sketch.tensor("float32", {16})});
    };
    const NodeId gather = wrap("all_gather_into_tensor_out_1", x), waited = wrap("wait_tensor_1", gather);
    const NodeId cast = wrap("convert_element_type_1", waited), plain = sketch.cast("plain", cast, 1);
    const StreamSteps steps = stream_steps(sketch.finish({plain}));
    EXPECT_EQ(steps.of_node[gather].kind, Kind::collective);
    EXPECT_EQ(steps.of_node[gather].first_argument, WrappedOperation::first_argument);
    EXPECT_EQ(steps.of_node[waited].kind, Kind::wait);
    EXPECT_EQ(steps.of_node[cast].kind, Kind::compute);
    EXPECT_EQ(steps.of_node[plain].first_argument, 0);
    EXPECT_EQ(steps.collectives.at(0).wait, waited);
}

TEST_F(Steps, OfCopiesAreTheirStartAndTheirFirstWait) {
    const NodeId out = copy("out", "ao.offload.default", x), there = copy("there", "ao.wait_tensor.default", out);
    const NodeId again = copy("again", "ao.wait_tensor.default", out);
    const NodeId back = copy("back", "ao.reload.default", there);
    const NodeId of_input = copy("of_input", "ao.wait_tensor.default", x), plain = sketch.cast("plain", x, 1);
    const StreamSteps steps = stream_steps(sketch.finish({again, back, plain}));
    EXPECT_EQ(steps.of_node[out].kind, Kind::transfer);
    EXPECT_EQ(steps.of_node[there].kind, Kind::transfer_wait);
    EXPECT_EQ(steps.of_node[again].kind, Kind::transfer_wait);
    EXPECT_EQ(steps.of_node[back].kind, Kind::transfer);
    EXPECT_EQ(steps.of_node[of_input].kind, Kind::compute);
    EXPECT_EQ(steps.of_node[plain].kind, Kind::compute);
    ASSERT_EQ(steps.transfers.size(), 2u);
    EXPECT_EQ(steps.transfers[0].node, out);
    EXPECT_EQ(steps.transfers[0].wait, there);
    EXPECT_TRUE(steps.transfers[0].to_host);
    EXPECT_EQ(steps.transfers[0].bytes, 64);
    EXPECT_EQ(steps.transfers[1].node, back);
    EXPECT_EQ(steps.transfers[1].wait, no_node);
    EXPECT_FALSE(steps.transfers[1].to_host);
}

TEST_F(Steps, KnowCopiesByTheirNames) {
    const NodeId out = copy("out", "ao.offload.default", x), back = copy("back", "ao.reload.default", x);
    const NodeId wait = copy("wait", "ao.wait_tensor.default", x), other = copy("other", "ao.other.default", x);
    const Graph graph = sketch.finish();
    const HostTransfers transfers(graph);
    EXPECT_TRUE(transfers.any());
    EXPECT_EQ(transfers.kind(out), HostTransfers::Kind::to_host);
    EXPECT_EQ(transfers.kind(back), HostTransfers::Kind::from_host);
    EXPECT_EQ(transfers.kind(wait), HostTransfers::Kind::wait);
    EXPECT_EQ(transfers.kind(other), HostTransfers::Kind::none);
    EXPECT_EQ(transfers.kind(x), HostTransfers::Kind::none);
    GraphSketch without;
    without.call("other", "ao.other.default", {}, {without.bytes(8)});
    EXPECT_FALSE(HostTransfers(without.finish()).any());
}

TEST_F(Steps, OfCopiesTakeWhatTheLinkToTheHostTakes) {
    sketch.header().cost->host_link_bytes_per_s = 1e6;
    const NodeId out = copy("out", "ao.offload.default", x), there = copy("there", "ao.wait_tensor.default", out);
    const NodeId back = copy("back", "ao.reload.default", there);
    const Graph graph = sketch.finish({back});
    std::vector<double> times_ms(graph.node_count(), 7);
    price_host_transfers(graph, times_ms);
    EXPECT_EQ(times_ms, (std::vector<double>{7, 0.064, 0, 0.064, 7}));
    sketch = GraphSketch();
    EXPECT_EQ(host_link_bytes_per_s(sketch.finish()), usual_host_link_bytes_per_s);
}

}  // namespace
}  // namespace overlap::test
