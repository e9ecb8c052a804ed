#include "core/cost/fused_products.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/cost/cost_model.h"
#include "core/cost/fused_values.h"
#include "tests/cost/fused_sketch.h"

namespace overlap::test {
namespace {

Graph graph_without_fused_products() {
    GraphSketch sketch;
    return sketch.finish({sketch.input("x", sketch.bytes(16))});
}

TEST(FusedProducts, SizesFollowFromTheNodesBefore) {
    FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    const FusedProducts products(graph);
    ASSERT_TRUE(products.any());
    const auto gather = products.find(sketch.gather), scatter = products.find(sketch.scatter);
    ASSERT_TRUE(gather && scatter);
    EXPECT_FALSE(products.is_fused(sketch.wide) || products.find(sketch.wide));
    EXPECT_EQ(gather->ranks, 4);
    EXPECT_EQ(gather->rows, 8);
    EXPECT_EQ(gather->inner, 8);
    EXPECT_EQ(gather->columns, std::vector<std::int64_t>({16}));
    EXPECT_EQ(gather->whole_bytes, 8 * 8 * 4);
    EXPECT_EQ(gather->result_bytes, 8 * 8 * 4 + 8 * 16 * 4);
    EXPECT_EQ(scatter->kind, CollectiveKind::reduce_scatter);
    EXPECT_EQ(scatter->inner, 16);
    EXPECT_EQ(scatter->whole_bytes, 8 * 4 * 4);
    EXPECT_EQ(scatter->result_bytes, 2 * 4 * 4);
}

TEST(FusedProducts, AreNoneWhereNothingIsFused) {
    const Graph without = graph_without_fused_products();
    const FusedProducts products(without);
    EXPECT_FALSE(products.any());
    EXPECT_FALSE(products.is_fused(0));
}

TEST(FusedProducts, TakeTheirFlopsWhereTheseTakeLonger) {
    FusedSketch sketch;
    sketch.header().cost->memory_bytes_per_s = 1e15;
    sketch.header().cost->flops_per_s = {{"float32", 1e6}};
    const double products_ms = 2.0 * 8 * 8 * 16 / (1e6 * 0.5) * 1e3;
    EXPECT_NEAR(node_times_ms(sketch.finish({sketch.scatter}))[sketch.gather], products_ms, 1e-6);
}

TEST(FusedValues, HaveMemoryOfTheirOwnAsLargeAsTheyAre) {
    FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    const FusedValues values(graph);
    const auto outputs = values.graph().outputs(sketch.gather);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].storage_bytes, 8 * 8 * 4);
    EXPECT_EQ(outputs[1].storage_bytes, 8 * 16 * 4);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const TensorMeta& given : graph.outputs(node)) {
            EXPECT_NE(given.storage, outputs[0].storage);
            EXPECT_NE(given.storage, outputs[1].storage);
        }
    }
}

TEST(FusedValues, ItemsLieInTheMemoryOfWhatTheyAreTakenFrom) {
    FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    const FusedValues values(graph);
    const auto outputs = [&](NodeId node) { return values.graph().outputs(node); };
    ASSERT_EQ(outputs(sketch.gather).size(), 2u);
    ASSERT_EQ(outputs(sketch.wide).size(), 1u);
    EXPECT_TRUE(values.adds(sketch.wide) && graph.outputs(sketch.wide).empty());
    const auto shape = values.graph().shape(outputs(sketch.wide)[0]);
    EXPECT_EQ(std::vector<std::int64_t>(shape.begin(), shape.end()), (std::vector<std::int64_t>{8, 16}));
    EXPECT_EQ(outputs(sketch.wide)[0].storage, outputs(sketch.gather)[1].storage);
    EXPECT_NE(outputs(sketch.gather)[0].storage, outputs(sketch.gather)[1].storage);
    // What lies as it is asked to is no copy.
    const NodeId shard = graph.find("shard");
    EXPECT_EQ(outputs(sketch.restrided)[0].storage, outputs(shard)[0].storage);
    const Graph without = graph_without_fused_products();
    EXPECT_EQ(&FusedValues(without).graph(), &without);
}

TEST(FusedValues, AProductThatReadsOneHasItsTime) {
    FusedSketch sketch;
    const NodeId right = sketch.sized("right", {16, 4});
    const NodeId product =
        sketch.call("product", "aten.mm.default", {Value::of_node(sketch.wide), Value::of_node(right)},
                    {sketch.tensor("float32", {8, 4})});
    const Graph graph = sketch.finish({sketch.scatter, product});
    const std::vector<double> times_ms = node_times_ms(graph);
    EXPECT_GT(times_ms[product], 0);
    EXPECT_EQ(times_ms[sketch.wide], 0);
}

TEST(FusedProducts, OneAfterAnotherAreFoundHoweverManyThereAre) {
    constexpr int links = 500;
    FusedSketch sketch;
    NodeId left = sketch.scatter, gather = no_node;
    for (int link = 0; link < links; ++link) {
        const std::string number = std::to_string(link);
        // Each reads the one before twice: what is found again at each step is found 2^500 times.
        gather = sketch.fused_gather("gather" + number, left, left);
        const NodeId list =
            sketch.without_value("list" + number, "operator.getitem", {Value::of_node(gather), Value::of_integer(1)});
        const NodeId item =
            sketch.without_value("item" + number, "operator.getitem", {Value::of_node(list), Value::of_integer(0)});
        left = sketch.fused_scatter("scatter" + number, item, item);
    }
    const Graph graph = sketch.finish({left});
    const auto last = FusedProducts(graph).find(gather);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->rows, 8);
    EXPECT_EQ(last->inner, 4);
}

TEST(FusedProducts, SizesBeyondSixtyFourBitsAreNotKnown) {
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
    FusedSketch sketch;
    const auto reshaped = [&](std::string_view name, NodeId of, std::vector<Value> sizes) {
        return sketch.without_value(name, "aten.reshape.default", {Value::of_node(of), sketch.list(std::move(sizes))});
    };
    const NodeId right = sketch.sized("right", {8, 16});
    const NodeId invented = reshaped("invented", sketch.wide, {Value::of_integer(huge), Value::of_integer(8)});
    const NodeId long_row = sketch.input("long_row", sketch.tensor("uint8", {1, huge}));
    const NodeId column = reshaped("column", long_row, {Value::of_integer(huge), Value::of_integer(1)});
    const NodeId of_invented = sketch.fused_gather("of_invented", invented, right);
    const NodeId of_column = sketch.fused_gather("of_column", column, right);
    const NodeId bytes = sketch.fused_scatter("bytes", column, right);
    const NodeId fits = sketch.fused_scatter(
        "fits", reshaped("halves", sketch.wide, {Value::of_integer(2), Value::of_integer(4), Value::of_integer(16)}),
        sketch.sized("left", {16, 4}));
    const Graph graph = sketch.finish();
    const FusedProducts products(graph);
    EXPECT_FALSE(products.find(of_invented));
    EXPECT_FALSE(products.find(of_column));
    EXPECT_FALSE(products.find(bytes));
    ASSERT_TRUE(products.find(fits));
    EXPECT_EQ(products.find(fits)->rows, 8);
}

TEST(FusedProducts, SimulationsGiveThemTheTimeOfTheirPieces) {
    FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    EXPECT_NEAR(node_times_ms(graph)[sketch.gather], fused_gather_ms, 1e-6);
}

TEST(FusedProducts, WithoutACostModelTheyHaveNoTime) {
    FusedSketch sketch;
    const NodeId timed = sketch.compute("timed", {}, 1);
    sketch.header().cost.reset();
    const Graph graph = sketch.finish({sketch.scatter, timed});
    try {
        node_times_ms(graph);
        FAIL() << "a time";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::no_cost_model);
        EXPECT_EQ(error.place(), "node \"gather\"");
    }
}

TEST(FusedProducts, WithoutSizesTheyHaveNoTime) {
    FusedSketch sketch;
    const NodeId unknown = sketch.without_value("unknown", "aten.add.Tensor", {Value::of_node(sketch.scatter)});
    const NodeId fused = sketch.fused_gather("fused", unknown, sketch.sized("right", {4, 4}));
    const Graph graph = sketch.finish({fused});
    try {
        node_times_ms(graph);
        FAIL() << "a time";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place(), "node \"fused\"");
    }
}

TEST(PipelinedTime, IsThatOfTheSlowerPartAndOneMorePiece) {
    EXPECT_DOUBLE_EQ(pipelined_ms(1, 8, 4), 8);
    EXPECT_DOUBLE_EQ(pipelined_ms(8, 4, 4), 9);
    EXPECT_DOUBLE_EQ(pipelined_ms(0, 4, 1), 4);
}

}  // namespace
}  // namespace overlap::test
