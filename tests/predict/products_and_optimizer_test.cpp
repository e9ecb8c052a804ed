// Sizes of products, the optimizer's part of a step, and the length that flex attention works on, where a graph shows
// them and where it does not.

#include <gtest/gtest.h>

#include "core/predict/flex_attention.h"
#include "core/predict/matrix_products.h"
#include "core/predict/optimizer_step.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Batch, rows, columns and depth of a product of tensors with these sizes; empty sizes are no tensor.
Sizes product(std::string_view target, const std::vector<Sizes>& arguments) {
    GraphSketch sketch;
    std::vector<Value> values;
    for (const Sizes& sizes : arguments) {
        const std::string name = "x" + std::to_string(values.size());
        values.push_back(sizes.empty() ? Value::of_none()
                                       : Value::of_node(sketch.input(name, sketch.tensor("bfloat16", sizes))));
    }
    const NodeId node = sketch.call("product", target, values, {sketch.tensor("bfloat16", {1})});
    const Graph graph = sketch.finish();
    const std::optional<MatrixProduct> found = matrix_product(graph, node);
    return found ? Sizes{found->batch, found->rows, found->columns, found->depth} : Sizes{};
}

TEST(MatrixProducts, FollowFromTheArguments) {
    EXPECT_EQ(product("aten.mm.default", {{3, 4}, {4, 5}}), (Sizes{1, 3, 5, 4}));
    EXPECT_EQ(product("aten._scaled_mm.default", {{3, 4}, {4, 5}}), (Sizes{1, 3, 5, 4}));
    EXPECT_EQ(product("aten.bmm.default", {{2, 3, 4}, {2, 4, 5}}), (Sizes{2, 3, 5, 4}));
    EXPECT_EQ(product("aten.addmm.default", {{5}, {3, 4}, {4, 5}}), (Sizes{1, 3, 5, 4}));
    EXPECT_EQ(product("aten.baddbmm.default", {{2, 3, 5}, {2, 3, 4}, {2, 4, 5}}), (Sizes{2, 3, 5, 4}));
    EXPECT_EQ(product("aten._grouped_mm.default", {{8, 4}, {2, 4, 5}}), (Sizes{1, 8, 5, 4}));
    EXPECT_EQ(product("aten._grouped_mm.default", {{4, 8}, {8, 5}}), (Sizes{1, 4, 5, 8}));
}

TEST(MatrixProducts, AreNoneWithoutTwoMatrices) {
    for (const std::vector<Sizes>& arguments :
         std::vector<std::vector<Sizes>>{{{4}, {4, 5}}, {{3, 4}, {4}}, {{}, {4, 5}}, {{3, 4}, {}}, {{3, 4}}}) {
        EXPECT_EQ(product("aten.mm.default", arguments), Sizes{});
        EXPECT_EQ(product("aten._grouped_mm.default", arguments), Sizes{});
    }
    EXPECT_EQ(product("aten._grouped_mm.default", {{2, 8, 4}, {2, 4, 5}}), Sizes{});
    EXPECT_EQ(product("aten.relu.default", {{3, 4}, {4, 5}}), Sizes{});
}

TEST(MatrixProducts, NeedTensorsThatStandAlone) {
    GraphSketch sketch;
    const TensorMeta matrix = sketch.tensor("bfloat16", {4, 4});
    const NodeId several = sketch.call("several", "aten.split.Tensor", {}, {matrix, matrix});
    const NodeId number = sketch.call("number", "aten.item.default", {}, {TensorMeta{}});
    const NodeId of_several = sketch.call("a", "aten.mm.default", GraphSketch::values({several, several}), {matrix});
    const NodeId of_number = sketch.call("b", "aten.mm.default", GraphSketch::values({number, number}), {matrix});
    const Graph graph = sketch.finish();
    EXPECT_FALSE(matrix_product(graph, of_several));
    EXPECT_FALSE(matrix_product(graph, of_number));
}

TEST(MatrixProducts, AreOfTensorsBesideWhichThereIsNone) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("bfloat16", {3, 4}));
    sketch.input("number", TensorMeta{});
    const NodeId y = sketch.input("y", sketch.tensor("bfloat16", {4, 5}));
    sketch.input("other", TensorMeta{});
    const NodeId product = sketch.call("a", "aten.mm.default", GraphSketch::values({x, y}), {TensorMeta{}});
    EXPECT_TRUE(matrix_product(sketch.finish(), product));
}

class OptimizerSteps : public ::testing::Test {
  protected:
    NodeId backward(std::string_view name, std::vector<TensorMeta> outputs) {
        NodeMetadata metadata;
        metadata.autograd_backward = true;
        const std::vector<Value> arguments = GraphSketch::values({x});
        return sketch.builder().call(name, "aten.mul.Tensor", arguments, outputs, metadata);
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
};

TEST_F(OptimizerSteps, MoveTheGradientsThatAreReturned) {
    const NodeId single = backward("single", {sketch.tensor("float32", {10, 10})});
    const NodeId half = backward("half", {sketch.tensor("bfloat16", {50})});
    const NodeId loss = backward("loss", {sketch.tensor("float32", {})});
    const NodeId counts = backward("counts", {sketch.tensor("int64", {10})});
    const NodeId nothing = backward("nothing", {TensorMeta{}});
    const NodeId two = backward("two", {sketch.tensor("float32", {4}), sketch.tensor("float32", {4})});
    const OptimizerStep step = optimizer_step(sketch.finish({single, half, loss, counts, nothing, two, x}));
    EXPECT_EQ(step.gradients, 150);
    EXPECT_EQ(step.bytes, 10 * (400 + 100));
    EXPECT_DOUBLE_EQ(step.time_ms, 5000 / 0.5e9 * 1e3);
    // Three microbatches add twice what is three of the ten passes.
    EXPECT_DOUBLE_EQ(accumulated_step_ms(2, 3, step), 3 * 2 + 2 * step.time_ms * 0.3 + step.time_ms);
    EXPECT_DOUBLE_EQ(accumulated_step_ms(2, 1, step), 2 + step.time_ms);
}

TEST_F(OptimizerSteps, AreNoneWithoutGradients) {
    EXPECT_EQ(optimizer_step(GraphSketch().finish()).gradients, 0);
    EXPECT_EQ(optimizer_step(Graph()).gradients, 0);
    const NodeId loss = backward("loss", {sketch.tensor("float32", {})});
    EXPECT_EQ(optimizer_step(sketch.finish({loss})).bytes, 0);
}

TEST_F(OptimizerSteps, AreNoneOfAGraphThatReturnsNothing) {
    backward("gradient", {sketch.tensor("float32", {10})});
    EXPECT_EQ(optimizer_step(sketch.builder().finish(sketch.header())).gradients, 0);
}

TEST_F(OptimizerSteps, NeedACostModelWhereThereAreGradients) {
    sketch.header().cost.reset();
    const NodeId gradient = backward("gradient", {sketch.tensor("float32", {10})});
    const Graph graph = sketch.finish({gradient});
    EXPECT_EQ(problem_of([&] { optimizer_step(graph); }),
              "the time of the optimizer follows from a cost model, and the graph has none");
}

TEST(FlexAttentionLength, IsTheFirstThatIsKnown) {
    GraphSketch sketch;
    const NodeId vector = sketch.input("vector", sketch.tensor("bfloat16", {8}));
    const NodeId key = sketch.input("key", sketch.tensor("bfloat16", {2, 8, 64, 16}));
    const NodeId unknown = sketch.call("unknown", "aten.item.default", {}, {});
    const std::string_view target = "higher_order.flex_attention";
    sketch.call("without", target, {Value::of_node(key)}, {});
    sketch.call("number", target, {Value::of_node(key), Value::of_integer(1)}, {});
    sketch.call("of_unknown", target, GraphSketch::values({key, unknown}), {});
    sketch.call("of_vector", target, GraphSketch::values({key, vector}), {});
    const GraphSketch before = sketch;
    EXPECT_EQ(flex_attention_length(GraphSketch(before).finish()), std::nullopt);
    sketch.call("known", target, GraphSketch::values({key, key}), {});
    EXPECT_EQ(flex_attention_length(sketch.finish()), 64);
    EXPECT_EQ(causal_density(16, 64), 0.125);
    EXPECT_EQ(causal_density(128, 64), 0.5);
}

}  // namespace
}  // namespace overlap::test
