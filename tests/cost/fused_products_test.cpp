#include "core/cost/fused_products.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// An all-gather of [2, 8] over 4 ranks fused with a product, its result read by a product fused with a reduce-scatter.
class FusedProductsTest : public testing::Test {
  protected:
    NodeId call(std::string_view name, std::string_view target, std::vector<Value> args) {
        return sketch_.builder().call(name, target, args, {});
    }
    NodeId input(std::string_view name, std::vector<std::int64_t> sizes) {
        const TensorMeta tensor = sketch_.tensor("float32", std::move(sizes));
        return sketch_.builder().placeholder(name, std::span(&tensor, 1));
    }
    void SetUp() override {
        GraphBuilder& builder = sketch_.builder();
        const NodeId shard = input("shard", {2, 8}), up = input("up", {8, 16}), down = input("down", {16, 4});
        const Value strides[] = {Value::of_integer(8), Value::of_integer(1)};
        const NodeId restrided = call("restrided", "prims.inductor_force_stride_order.default",
                                      {Value::of_node(shard), builder.list(strides)});
        const Value rights[] = {Value::of_node(up)};
        gather_ = call("gather", "symm_mem.fused_all_gather_matmul.default",
                       {Value::of_node(restrided), builder.list(rights), Value::of_integer(0), builder.string("0")});
        const NodeId list = call("list", "operator.getitem", {Value::of_node(gather_), Value::of_integer(1)});
        const NodeId wide = call("wide", "operator.getitem", {Value::of_node(list), Value::of_integer(0)});
        scatter_ = call("scatter", "symm_mem.fused_matmul_reduce_scatter.default",
                        {Value::of_node(wide), Value::of_node(down), builder.string("sum"), Value::of_integer(0),
                         builder.string("0")});
        const Value result = Value::of_node(scatter_);
        builder.output(std::span(&result, 1));
    }
    GraphSketch sketch_;
    NodeId gather_ = no_node, scatter_ = no_node;
};

TEST_F(FusedProductsTest, SizesFollowFromTheNodesBefore) {
    const Graph graph = sketch_.builder().finish(sketch_.header());
    const FusedProducts products(graph);
    ASSERT_TRUE(products.any());
    const auto gather = products.find(gather_), scatter = products.find(scatter_);
    ASSERT_TRUE(gather && scatter);
    EXPECT_EQ(gather->ranks, 4);
    EXPECT_EQ(gather->rows, 8);
    EXPECT_EQ(gather->inner, 8);
    EXPECT_EQ(gather->columns, std::vector<std::int64_t>({16}));
    EXPECT_EQ(gather->whole_bytes, 8 * 8 * 4);
    EXPECT_EQ(scatter->kind, CollectiveKind::reduce_scatter);
    EXPECT_EQ(scatter->inner, 16);
    EXPECT_EQ(scatter->whole_bytes, 8 * 4 * 4);
}

TEST_F(FusedProductsTest, SimulationsGiveThemTheTimeOfTheirPieces) {
    const Graph graph = sketch_.builder().finish(sketch_.header());
    // 0.02 ms and 256 bytes at 1 GB/s for the gather; 896 bytes at half of 1 GB/s for the product.
    const double gather_ms = 0.020256, product_ms = (8 * 8 + 8 * 16 + 8 * 16) * 4 / 0.5e9 * 1e3;
    EXPECT_NEAR(node_times_ms(graph)[gather_], gather_ms + product_ms / 4, 1e-6);
}

TEST(PipelinedTime, IsThatOfTheSlowerPartAndOneMorePiece) {
    EXPECT_DOUBLE_EQ(pipelined_ms(1, 8, 4), 8);
    EXPECT_DOUBLE_EQ(pipelined_ms(8, 4, 4), 9);
    EXPECT_DOUBLE_EQ(pipelined_ms(0, 4, 1), 4);
}

}  // namespace
}  // namespace overlap::test
