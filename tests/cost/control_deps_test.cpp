#include "core/cost/control_deps.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

class ControlDeps : public ::testing::Test {
  protected:
    NodeId wrap(const std::string& name, std::vector<NodeId> inputs, std::vector<TensorMeta> outputs,
                const std::string& subgraph_suffix = "") {
        const NodeId subgraph = sketch.get_attr("subgraph_" + name, "subgraph_" + name + subgraph_suffix);
        std::vector<Value> arguments{sketch.list({Value::of_node(x)}), Value::of_node(subgraph)};
        for (const NodeId input : inputs) arguments.push_back(Value::of_node(input));
        return sketch.call(name, "higher_order.control_deps", arguments, std::move(outputs));
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(1000));
};

TEST_F(ControlDeps, NamesTellWhatIsInside) {
    const NodeId gather = wrap("all_gather_into_tensor_out_12", {x}, {sketch.bytes(4000)});
    const NodeId waited = wrap("wait_tensor_226", {gather}, {sketch.bytes(4000)}, "_0");
    const NodeId mm = wrap("mm", {waited, x}, {sketch.bytes(100)});
    const NodeId cast = wrap("convert_element_type_14", {x}, {sketch.bytes(2000)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    ASSERT_EQ(operations.size(), 4u);
    EXPECT_EQ(operations[0].node, gather);
    EXPECT_EQ(operations[0].operator_name, "all_gather_into_tensor_out");
    EXPECT_EQ(operations[0].starts, CollectiveKind::all_gather);
    EXPECT_EQ(operations[0].process_group, "0");
    EXPECT_TRUE(operations[1].is_wait);
    EXPECT_EQ(operations[2].node, mm);
    EXPECT_EQ(operations[2].formula, FlopFormula::matrix_multiply);
    EXPECT_EQ(operations[3].node, cast);
    EXPECT_EQ(operations[3].operator_name, "convert_element_type");
    EXPECT_EQ(operations[3].starts, CollectiveKind::none);
}

TEST_F(ControlDeps, AWaitOfSomethingElseIsNoWait) {
    wrap("wait_tensor_5", {x}, {sketch.bytes(1000)});  // ao.wait_tensor bears such names too
    EXPECT_FALSE(wrapped_operations(sketch.finish())[0].is_wait);
}

TEST_F(ControlDeps, TheGroupIsTheOneWhoseSizeFits) {
    sketch.group("1", 8, 0.01, 1e9);
    wrap("all_gather_into_tensor", {x}, {sketch.bytes(8000)});
    wrap("reduce_scatter_tensor", {x}, {sketch.bytes(250)});
    wrap("all_reduce", {x}, {sketch.bytes(1000)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    EXPECT_EQ(operations[0].process_group, "1");
    EXPECT_EQ(operations[1].process_group, "0");
    EXPECT_EQ(operations[2].process_group, "0");
}

TEST_F(ControlDeps, OfGroupsThatFitTheOneInUseForThatKindIsTaken) {
    sketch.group("twin", 4, 0.01, 1e9);
    sketch.reduce("plain", x, 1.0, "0");
    sketch.gather("plain_gather", x, 1.0, "twin");
    wrap("all_gather_into_tensor", {x}, {sketch.bytes(4000)});
    wrap("all_reduce", {x}, {sketch.bytes(1000)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    EXPECT_EQ(operations[0].process_group, "twin");
    EXPECT_EQ(operations[1].process_group, "0");
}

TEST_F(ControlDeps, AGroupOfAnotherSizeIsBetterThanNone) {
    // Neither three nor three and a half ranks are listed; of an empty tensor no number of ranks follows.
    const NodeId empty = sketch.input("empty", sketch.bytes(0));
    wrap("all_gather_into_tensor_1", {x}, {sketch.bytes(3000)});
    wrap("all_gather_into_tensor_2", {x}, {sketch.bytes(3500)});
    wrap("all_gather_into_tensor_3", {empty}, {sketch.bytes(0)});
    wrap("all_gather_into_tensor_4", {}, {sketch.bytes(4000)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    ASSERT_EQ(operations.size(), 4u);
    for (const WrappedOperation& operation : operations) EXPECT_EQ(operation.process_group, "0");
}

TEST_F(ControlDeps, WithoutListedGroupsTheOneInUseIsTaken) {
    sketch.header().process_groups.clear();
    wrap("all_gather_into_tensor", {x}, {sketch.bytes(4000)});
    const GraphSketch before = sketch;
    EXPECT_EQ(wrapped_operations(sketch.finish())[0].process_group, "");
    sketch = before;
    sketch.reduce("reduced", x, 1.0, "dp");
    EXPECT_EQ(wrapped_operations(GraphSketch(sketch).finish())[0].process_group, "dp");
    sketch.call("nameless", "_c10d_functional.all_gather_into_tensor.default", {Value::of_node(x)}, {sketch.bytes(8)});
    sketch.gather("gathered", x, 1.0, "fsdp");
    EXPECT_EQ(wrapped_operations(sketch.finish())[0].process_group, "fsdp");
}

TEST_F(ControlDeps, WaitsAwaitOneItemOfACollectiveToo) {
    const NodeId gather = wrap("all_gather_into_tensor_coalesced", {x}, {sketch.bytes(4000), sketch.bytes(4000)});
    const NodeId item = sketch.item("item", gather, 1);
    wrap("wait_tensor_1", {item}, {sketch.bytes(4000)});
    wrap("wait_tensor_2", {sketch.item("other", x, 0)}, {sketch.bytes(1000)});
    wrap("wait_tensor_3", {}, {sketch.bytes(1000)});
    const NodeId nothing = sketch.call("nothing", "operator.getitem", {}, {sketch.bytes(8)});
    wrap("wait_tensor_4", {nothing}, {sketch.bytes(8)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    ASSERT_EQ(operations.size(), 5u);
    EXPECT_TRUE(operations[1].is_wait);
    for (const std::size_t other : {2, 3, 4}) EXPECT_FALSE(operations[other].is_wait) << other;
}

TEST_F(ControlDeps, WhatIsInsideMayNotBeKnown) {
    wrap("42", {x}, {sketch.bytes(8)});
    wrap("conv2", {x}, {sketch.bytes(8)});
    const NodeId other = sketch.get_attr("other", "graph_of_something");
    sketch.call("unnamed", "higher_order.control_deps", {sketch.list({}), Value::of_node(other)}, {sketch.bytes(8)});
    sketch.call("empty", "higher_order.control_deps", {}, {sketch.bytes(8)});
    const std::vector<WrappedOperation> operations = wrapped_operations(sketch.finish());
    ASSERT_EQ(operations.size(), 4u);
    EXPECT_EQ(operations[0].operator_name, "42");
    EXPECT_EQ(operations[1].operator_name, "conv2");
    EXPECT_EQ(operations[2].operator_name, "");
    EXPECT_EQ(operations[3].operator_name, "");
    for (const WrappedOperation& operation : operations) {
        EXPECT_EQ(operation.starts, CollectiveKind::none);
        EXPECT_FALSE(operation.is_wait);
    }
}

TEST_F(ControlDeps, WithoutModelWhatIsWrappedTakesNoTimeUnlessItMust) {
    sketch.header().cost.reset();
    sketch.compute("given", {x}, 1.0);
    const NodeId cast = wrap("convert_element_type", {x}, {sketch.bytes(8)});
    EXPECT_EQ(node_times_ms(GraphSketch(sketch).finish())[cast], 0);
    wrap("mm", {x, x}, {sketch.bytes(8)});
    EXPECT_EQ(problem_of([&] { node_times_ms(sketch.finish()); }),
              "node \"mm\": the graph has no cost_model, so the time of a node without estimate_ms is not known");
}

TEST_F(ControlDeps, SimulationsTakeTheTimeOfTheWrappedOperation) {
    const NodeId gather = wrap("all_gather_into_tensor", {x}, {sketch.bytes(4000)});
    const NodeId waited = wrap("wait_tensor", {gather}, {sketch.bytes(4000)});
    const NodeId matrix = sketch.input("matrix", sketch.tensor("float32", {5000, 5000}));
    const NodeId mm = wrap("mm", {matrix, matrix}, {sketch.tensor("float32", {5000, 5000})});
    TensorMeta alias = sketch.bytes(1000);
    alias.storage = 0;  // that of x, the first tensor
    const NodeId view = wrap("view_3", {x}, {alias});
    const NodeId cast = wrap("convert_element_type", {x}, {sketch.bytes(4000)});
    const Graph graph = sketch.finish();
    const std::vector<double> times = node_times_ms(graph);
    EXPECT_EQ(times[gather], 0.024);
    EXPECT_EQ(times[waited], 0);
    EXPECT_EQ(times[mm], 1000.0);
    EXPECT_EQ(times[view], 0);
    EXPECT_EQ(times[cast], 0.01);
    EXPECT_EQ(analytic_time_ms(graph, mm), 0);  // the model itself gives higher-order operators nothing
}

}  // namespace
}  // namespace overlap::test
