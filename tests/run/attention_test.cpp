#include "core/run/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// Attention in torch's layout [batch, length, heads, width], seen as [batch, heads, length, width].
class AttentionSketch {
  public:
    TensorMeta seen(std::int64_t heads, std::int64_t length, std::int64_t width, std::string_view type = "bfloat16") {
        TensorMeta meta = sketch_.tensor(type, {2, heads, length, width});
        const std::vector<std::int64_t> sizes{2, heads, length, width};
        const std::vector<std::int64_t> strides{heads * length * width, width, heads * width, 1};
        meta.first_dimension = sketch_.builder().dimensions(sizes, strides);
        return meta;
    }
    Value given(const TensorMeta& meta) { return Value::of_node(sketch_.input("x" + std::to_string(count_++), meta)); }
    TensorMeta statistics(std::vector<std::int64_t> sizes) { return sketch_.tensor("float32", std::move(sizes)); }

    std::optional<AttentionWork> attention(std::string_view operation, std::vector<Value> arguments,
                                           std::vector<TensorMeta> outputs) {
        node_ = sketch_.call("attention", operation, std::move(arguments), std::move(outputs));
        graph_ = sketch_.finish();
        return attention_of(graph_, node_, operation, 0);
    }
    NodeId node() const { return node_; }

  private:
    GraphSketch sketch_;
    int count_ = 0;
    NodeId node_ = no_node;
    Graph graph_;
};

std::optional<AttentionWork> flash(std::vector<Value> behind, std::int64_t key_heads = 8,
                                   std::string_view type = "bfloat16", std::vector<std::int64_t> sums = {2, 8, 64}) {
    AttentionSketch sketch;
    std::vector<Value> arguments{sketch.given(sketch.seen(8, 64, 192, type)),
                                 sketch.given(sketch.seen(key_heads, 32, 192, type)),
                                 sketch.given(sketch.seen(key_heads, 32, 128, type))};
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    return sketch.attention("aten._scaled_dot_product_flash_attention.default", arguments,
                            {sketch.seen(8, 64, 128, type), sketch.statistics(std::move(sums))});
}

TEST(Attention, HasTheShapesStridesAndFlagsOfItsNode) {
    const auto work = flash({Value::of_floating(0), Value::of_boolean(true)}, 2);
    ASSERT_TRUE(work);
    const AttentionShape& shape = work->shape;
    EXPECT_FALSE(shape.backward);
    EXPECT_TRUE(shape.causal);
    EXPECT_FALSE(work->mask_assumed);
    EXPECT_DOUBLE_EQ(shape.scale, 1 / std::sqrt(192.0));
    EXPECT_TRUE(shape.has_grouped_heads());
    const std::array<std::int64_t, 4> strides{8 * 64 * 192, 192, 8 * 192, 1};
    EXPECT_EQ(shape[AttentionRole::query].strides, strides);
    EXPECT_EQ(shape[AttentionRole::query].extent(), 2 * 8 * 64 * 192);
    EXPECT_EQ(shape[AttentionRole::value].sizes[3], 128);
    EXPECT_EQ(shape[AttentionRole::statistics].sizes[3], 1) << "one number a query";
    EXPECT_EQ(shape[AttentionRole::statistics].strides, (std::array<std::int64_t, 4>{8 * 64, 64, 1, 1}));
    EXPECT_EQ(shape[AttentionRole::query_gradient].elements(), 0);
    EXPECT_EQ(attention_accumulators(shape).bytes, 0) << "the forward pass has none";
}

TEST(Attention, IsNotCausalUnlessItsNodeSaysSo) {
    EXPECT_FALSE(flash({})->shape.causal);
    EXPECT_FALSE(flash({Value::of_floating(0), Value::of_boolean(false)})->shape.causal);
}

TEST(Attention, WithMoreThanScoresMaskAndSoftmaxIsNone) {
    EXPECT_FALSE(flash({Value::of_floating(0.1), Value::of_boolean(true)})) << "dropout";
    EXPECT_FALSE(flash({}, 3)) << "heads that cannot be shared";
    EXPECT_FALSE(flash({}, 8, "float32")) << "no such kernel";
    EXPECT_FALSE(flash({}, 8, "bfloat16", {2, 8, 63})) << "statistics of other queries";
}

TEST(Attention, ABiasIsMoreToo) {
    for (const bool biased : {false, true}) {
        AttentionSketch sketch;
        std::vector<Value> arguments;
        for (int tensor = 0; tensor < 3; ++tensor) arguments.push_back(sketch.given(sketch.seen(8, 64, 16)));
        arguments.push_back(biased ? sketch.given(sketch.seen(8, 64, 64)) : Value::of_none());
        arguments.push_back(Value::of_boolean(true));
        const auto work = sketch.attention("aten._scaled_dot_product_cudnn_attention.default", arguments,
                                           {sketch.seen(8, 64, 16), sketch.statistics({2, 8, 64, 1})});
        EXPECT_EQ(work.has_value(), !biased);
        if (work) {
            EXPECT_FALSE(work->shape.causal) << "that the sums are asked for is another argument";
        }
    }
}

TEST(Attention, FlexAttentionIsTakenAsCausalWithItsOwnScale) {
    AttentionSketch sketch;
    std::vector<Value> arguments;
    for (int tensor = 0; tensor < 3; ++tensor) arguments.push_back(sketch.given(sketch.seen(8, 64, 16)));
    arguments.push_back(Value::of_none());
    arguments.push_back(Value::of_none());
    arguments.push_back(Value::of_floating(0.125));
    const auto work = sketch.attention("higher_order.flex_attention", arguments,
                                       {sketch.seen(8, 64, 16), sketch.statistics({2, 8, 64})});
    ASSERT_TRUE(work);
    EXPECT_TRUE(work->shape.causal);
    EXPECT_TRUE(work->mask_assumed);
    EXPECT_EQ(work->shape.scale, 0.125);
}

TEST(Attention, TheBackwardPassKnowsWhatItReadsAndWhatItReturns) {
    AttentionSketch sketch;
    std::vector<Value> arguments;
    for (const std::int64_t heads : {8, 8, 2, 2, 8}) arguments.push_back(sketch.given(sketch.seen(heads, 64, 16)));
    arguments.push_back(sketch.given(sketch.statistics({2, 8, 64})));
    const auto work = sketch.attention("aten._scaled_dot_product_flash_attention_backward.default", arguments,
                                       {sketch.seen(8, 64, 16), sketch.seen(2, 64, 16), sketch.seen(2, 64, 16)});
    ASSERT_TRUE(work);
    EXPECT_EQ(work->places[index_of(AttentionRole::output_gradient)].node, arguments[0].node);
    EXPECT_EQ(work->places[index_of(AttentionRole::query)].node, arguments[1].node);
    EXPECT_EQ(work->places[index_of(AttentionRole::statistics)].node, arguments[5].node);
    EXPECT_EQ(work->places[index_of(AttentionRole::value_gradient)].node, sketch.node());
    EXPECT_EQ(work->places[index_of(AttentionRole::value_gradient)].output, 2u);
    const AttentionAccumulators places = attention_accumulators(work->shape);
    EXPECT_EQ(places.sums, 0);
    EXPECT_EQ(places.query_gradient, 2 * 8 * 64 * 4);
    EXPECT_EQ(places.key_gradient - places.query_gradient, 2 * 8 * 64 * 16 * 4) << "in float32";
    EXPECT_EQ(places.value_gradient - places.key_gradient, 2 * 8 * 64 * 16 * 2) << "of all heads of the query";
    EXPECT_EQ(places.bytes - places.value_gradient, 2 * 8 * 64 * 16 * 2);
}

TEST(Attention, OtherOperatorsAreNone) {
    AttentionSketch sketch;
    EXPECT_FALSE(
        sketch.attention("aten.relu.default", {sketch.given(sketch.seen(8, 64, 16))}, {sketch.seen(8, 64, 16)}));
}

}  // namespace
}  // namespace overlap::test
