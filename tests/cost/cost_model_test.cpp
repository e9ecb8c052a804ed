// Rules of the analytic model on nodes whose time can be reckoned by hand: 500,000 bytes take one millisecond of
// memory, 250e6 flops one of float32, 500e6 one of bfloat16; group 0 has 0.02 ms latency and moves 1,000,000 bytes a
// millisecond.
#include "core/cost/cost_model.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/base/error.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

class CostModel : public ::testing::Test {
  protected:
    double time_of(NodeId node) {
        graph_ = sketch.finish({node});
        return analytic_time_ms(graph_, node);
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(500'000));

  private:
    Graph graph_;
};

TEST_F(CostModel, PointwiseCountsArgumentsAndOutput) {
    EXPECT_EQ(time_of(sketch.call("relu", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(500'000)})), 2.0);
}

TEST_F(CostModel, RepeatedTensorsCountRepeatedly) {
    EXPECT_EQ(
        time_of(sketch.call("mul", "aten.mul.Tensor", {Value::of_node(x), Value::of_node(x)}, {sketch.bytes(500'000)})),
        3.0);
}

TEST_F(CostModel, ListsAndKeywordsCount) {
    const Value items = sketch.list({Value::of_node(x), Value::of_node(x)});
    EXPECT_EQ(time_of(test::call_with(sketch.builder(), "cat", "aten.cat.default", {items},
                                      {{"out", Value::of_node(x)}}, {sketch.bytes(1'000'000)})),
              5.0);
}

TEST_F(CostModel, AllOutputsOfANodeCount) {
    EXPECT_EQ(time_of(sketch.call("topk", "aten.topk.default", {Value::of_node(x)},
                                  {sketch.bytes(500'000), TensorMeta{}, sketch.bytes(500'000)})),
              3.0);
}

TEST_F(CostModel, StridesDoNotMatter) {
    TensorMeta expanded = sketch.bytes(500'000);
    expanded.first_dimension =
        sketch.builder().dimensions(std::array<std::int64_t, 1>{500'000}, std::array<std::int64_t, 1>{0});
    expanded.storage_bytes = 1;
    EXPECT_EQ(time_of(sketch.call("clone", "aten.clone.default", {Value::of_node(x)}, {expanded})), 2.0);
}

TEST_F(CostModel, MatrixMultiplicationTakesTheLargerOfFlopsAndBytes) {
    const NodeId left = sketch.input("left", sketch.tensor("float32", {500, 500}));
    const NodeId right = sketch.input("right", sketch.tensor("float32", {500, 500}));
    // 2 * 500^3 = 250e6 flops, one millisecond; 3,000,000 bytes, six.
    const NodeId small = sketch.call("small", "aten.mm.default", GraphSketch::values({left, right}),
                                     {sketch.tensor("float32", {500, 500})});
    const NodeId wide_left = sketch.input("wide_left", sketch.tensor("float32", {5000, 5000}));
    const NodeId wide_right = sketch.input("wide_right", sketch.tensor("float32", {5000, 5000}));
    const NodeId large = sketch.call("large", "aten.mm.default", GraphSketch::values({wide_left, wide_right}),
                                     {sketch.tensor("float32", {5000, 5000})});
    const Graph graph = sketch.finish();
    EXPECT_EQ(analytic_time_ms(graph, small), 6.0);
    EXPECT_EQ(analytic_time_ms(graph, large), 1000.0);
    EXPECT_EQ(node_flops(graph, large), 250e9);
}

TEST_F(CostModel, UnlistedDtypesUseTheRateOfFloat32) {
    const NodeId left = sketch.input("left", sketch.tensor("float64", {5000, 5000}));
    EXPECT_EQ(time_of(sketch.call("mm", "aten.mm.default", GraphSketch::values({left, left}),
                                  {sketch.tensor("float64", {5000, 5000})})),
              1200.0);  // bytes decide: 600e6 of them; flops would take 1000 ms
    GraphSketch other;
    const NodeId half = other.input("half", other.tensor("float16", {5000, 5000}));
    const NodeId mm =
        other.call("mm", "aten.mm.default", GraphSketch::values({half, half}), {other.tensor("float16", {5000, 5000})});
    EXPECT_EQ(analytic_time_ms(other.finish(), mm), 1000.0);
}

TEST_F(CostModel, WhatMovesNoDataTakesNoTime) {
    const TensorMeta output = sketch.bytes(500'000);
    const NodeId view = sketch.call("view", "aten.view.default", {Value::of_node(x)}, {output});
    const NodeId item = sketch.item("item", x, 0);
    const NodeId waited = sketch.wait("waited", x);
    const NodeId wrapped = sketch.call("wrapped", "higher_order.control_deps", {Value::of_node(x)}, {output});
    const NodeId scalar = sketch.call("scalar", "aten._local_scalar_dense.default", {Value::of_node(x)}, {});
    const NodeId multiply = sketch.call("multiply", "operator.mul", {Value::of_node(scalar), Value::of_integer(2)}, {});
    const Graph graph = sketch.finish();
    for (const NodeId node : {x, view, item, waited, wrapped, scalar, multiply, graph.node_count() - 1}) {
        EXPECT_EQ(analytic_time_ms(graph, node), 0) << graph.name(node);
    }
}

TEST_F(CostModel, CollectivesTakeLatencyAndTheLargerSide) {
    const NodeId gather =
        sketch.call("gather", "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(x), Value::of_integer(4), sketch.text("0")}, {sketch.bytes(2'000'000)});
    const NodeId scatter = sketch.call("scatter", "_c10d_functional.reduce_scatter_tensor.default",
                                       {Value::of_node(x), sketch.text("sum"), Value::of_integer(4), sketch.text("0")},
                                       {sketch.bytes(125'000)});
    const NodeId reduce =
        sketch.call("reduce", "_c10d_functional.all_reduce_.default",
                    {Value::of_node(x), sketch.text("sum"), sketch.text("0")}, {sketch.bytes(500'000)});
    const Graph graph = sketch.finish();
    EXPECT_EQ(analytic_time_ms(graph, gather), 2.02);
    EXPECT_EQ(analytic_time_ms(graph, scatter), 0.52);
    EXPECT_EQ(analytic_time_ms(graph, reduce), 0.52);
    EXPECT_EQ(collective_time_ms(graph, "0", CollectiveKind::all_gather, 1'000'000), 1.02);
}

TEST_F(CostModel, CoalescedCollectivesMoveTheirWholeList) {
    const NodeId y = sketch.input("y", sketch.bytes(250'000));
    const Value both = sketch.list(GraphSketch::values({x, y}));
    EXPECT_EQ(time_of(sketch.call("reduce", "_c10d_functional.all_reduce_coalesced.default",
                                  {both, sketch.text("sum"), sketch.text("0")},
                                  {sketch.bytes(500'000), sketch.bytes(250'000)})),
              0.77);
}

TEST_F(CostModel, OutputBuffersOfOutVariantsAreNoInput) {
    const NodeId buffer = sketch.input("buffer", sketch.bytes(9'000'000));
    const NodeId gather = sketch.call(
        "gather", "_c10d_functional.all_gather_into_tensor_out.default",
        {Value::of_node(x), Value::of_integer(4), sketch.text("0"), Value::of_node(buffer)}, {sketch.bytes(2'000'000)});
    EXPECT_EQ(time_of(gather), 2.02);
}

TEST_F(CostModel, CollectivesMayNameTheirInput) {
    for (const std::string name : {"input", "inputs"}) {
        GraphSketch other;
        const NodeId y = other.input("y", other.bytes(500'000));
        const NodeId reduce =
            test::call_with(other.builder(), "reduce", "_c10d_functional.all_reduce.default", {},
                            {{name, Value::of_node(y)}, {"group_name", other.text("0")}}, {other.bytes(8)});
        EXPECT_EQ(analytic_time_ms(other.finish(), reduce), 0.52) << name;
    }
}

TEST_F(CostModel, AKindWithoutWaysTakesThoseOfTheLink) {
    sketch.header().cost->links[0].kinds[CollectiveKind::all_reduce] = {};
    EXPECT_EQ(time_of(sketch.reduce("reduce", x, 1)), 0.52);
}

TEST_F(CostModel, ConvolutionsHaveTheirClass) {
    sketch.header().cost->classes["convolution"] = {0.25, 1.0};
    const NodeId image = sketch.input("image", sketch.tensor("float32", {1, 100, 50, 50}));
    const NodeId weight = sketch.input("weight", sketch.tensor("float32", {100, 100, 1, 1}));
    // 2,040,000 bytes at a quarter of the rate take 8.16 ms, longer than 50e6 flops, beside 1 ms.
    EXPECT_DOUBLE_EQ(
        time_of(sketch.call("convolution", "aten.convolution.default", GraphSketch::values({image, weight}),
                            {sketch.tensor("float32", {1, 100, 50, 50})})),
        9.16);
}

TEST_F(CostModel, DtypesWithoutARateAreNamed) {
    sketch.header().cost->flops_per_s = {{"bfloat16", 1e12}};
    const NodeId half = sketch.input("half", sketch.tensor("float16", {2, 2}));
    const NodeId mm =
        sketch.call("mm", "aten.mm.default", GraphSketch::values({half, half}), {sketch.tensor("float16", {2, 2})});
    EXPECT_EQ(problem_of([&] { time_of(mm); }),
              "cost_model.device.flops_per_s: expected a rate for float16 or for float32");
}

TEST_F(CostModel, WhatReturnsNoTensorTakesNoTime) {
    const NodeId q = sketch.input("q", sketch.tensor("float32", {2, 8, 16, 4}));
    const NodeId flex =
        sketch.call("flex", "higher_order.flex_attention", GraphSketch::values({q, q, q}), {TensorMeta{}});
    const Graph graph = sketch.finish();
    EXPECT_EQ(analytic_time_ms(graph, flex), 0);
    EXPECT_EQ(node_flops(graph, x), 0);
    EXPECT_NO_THROW(check_cost_model(graph));
}

TEST_F(CostModel, AGroupWithoutALinkIsNamed) {
    const NodeId gather =
        sketch.call("gather", "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(x), Value::of_integer(4), sketch.text("fsdp")}, {sketch.bytes(8)});
    try {
        time_of(gather);
        FAIL() << "expected InputError";
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()), "node \"gather\": the cost model has no link for process group \"fsdp\"");
    }
}

TEST_F(CostModel, SimulationsTakeTheFilesEstimateFirst) {
    sketch.call("given", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(500'000)}, 7.5);
    sketch.call("modelled", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(500'000)});
    const Graph graph = sketch.finish();
    const std::vector<double> times = node_times_ms(graph);
    EXPECT_EQ(times[graph.find("given")], 7.5);
    EXPECT_EQ(times[graph.find("modelled")], 2.0);
    EXPECT_EQ(analytic_times_ms(graph)[graph.find("given")], 2.0);
}

TEST_F(CostModel, WithoutModelTimesMustBeGiven) {
    sketch.header().cost.reset();
    sketch.call("relu", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(8)});
    EXPECT_THROW(node_times_ms(sketch.finish()), InputError);
}

TEST_F(CostModel, WithoutModelWritersLeaveZerosOutButNotThoseOfCollectives) {
    sketch.header().cost.reset();
    sketch.call("given", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(8)}, 1.0);
    sketch.call("tiny", "aten.relu.default", {Value::of_node(x)}, {sketch.bytes(8)});
    EXPECT_EQ(node_times_ms(sketch.finish())[2], 0);

    GraphSketch other;
    other.header().cost.reset();
    const NodeId y = other.input("y", other.bytes(8));
    other.call("given", "aten.relu.default", {Value::of_node(y)}, {other.bytes(8)}, 1.0);
    other.call("gather", "_c10d_functional.all_gather_into_tensor.default",
               {Value::of_node(y), Value::of_integer(4), other.text("0")}, {other.bytes(32)});
    EXPECT_THROW(node_times_ms(other.finish()), InputError);

    GraphSketch third;
    third.header().cost.reset();
    const NodeId z = third.input("z", third.tensor("float32", {2, 2}));
    third.compute("given", {z}, 1.0);
    third.call("product", "aten.mm.default", GraphSketch::values({z, z}), {third.tensor("float32", {2, 2})});
    const Graph without_model = third.finish();
    EXPECT_EQ(problem_of([&] { node_times_ms(without_model); }),
              "node \"product\": the graph has no cost_model, so the time of a node without estimate_ms is not known");
    EXPECT_NO_THROW(check_cost_model(without_model));
}

TEST_F(CostModel, TimesMustBeFiniteAndNotNegative) {
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        GraphSketch other;
        const NodeId y = other.input("y", other.bytes(8));
        other.call("relu", "aten.relu.default", {Value::of_node(y)}, {other.bytes(8)}, bad);
        EXPECT_THROW(node_times_ms(other.finish()), InputError) << bad;
    }
}

}  // namespace
}  // namespace overlap::test
