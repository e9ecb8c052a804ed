// Counts that torch 2.15's flop counter returns for the same shapes.
#include "core/cost/flop_formulas.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

class FlopFormulas : public ::testing::Test {
  protected:
    using Sizes = std::vector<std::int64_t>;

    Value tensor(const Sizes& sizes) {
        return Value::of_node(sketch.input("x" + std::to_string(inputs_++), sketch.tensor("float32", sizes)));
    }
    std::vector<Value> tensors(const std::vector<Sizes>& shapes) {
        std::vector<Value> values;
        for (const Sizes& sizes : shapes) values.push_back(tensor(sizes));
        return values;
    }
    Value truth(bool value) { return Value::of_boolean(value); }
    Value numbers(const Sizes& items) {
        std::vector<Value> values;
        for (const std::int64_t item : items) values.push_back(Value::of_integer(item));
        return sketch.list(values);
    }
    double flops(std::string_view target, std::vector<Value> arguments, const std::vector<Sizes>& outputs = {{1}}) {
        std::vector<TensorMeta> results;
        for (const Sizes& sizes : outputs) {
            results.push_back(sizes.empty() ? TensorMeta{} : sketch.tensor("float32", sizes));
        }
        const NodeId node = sketch.call("counted", target, std::move(arguments), results);
        graph_ = sketch.finish();
        return node_flops(graph_, node);
    }

    GraphSketch sketch;

  private:
    int inputs_ = 0;
    Graph graph_;
};

TEST_F(FlopFormulas, Mm) {
    EXPECT_EQ(flops("aten.mm.default", tensors({{3, 5}, {5, 7}})), 210);
}
TEST_F(FlopFormulas, MmOfAnyOverload) {
    EXPECT_EQ(flops("aten.mm.dtype", tensors({{3, 5}, {5, 7}})), 210);
}
TEST_F(FlopFormulas, Addmm) {
    EXPECT_EQ(flops("aten.addmm.default", tensors({{7}, {3, 5}, {5, 7}})), 210);
}
TEST_F(FlopFormulas, Bmm) {
    EXPECT_EQ(flops("aten.bmm.default", tensors({{2, 3, 5}, {2, 5, 7}})), 420);
}
TEST_F(FlopFormulas, Baddbmm) {
    EXPECT_EQ(flops("aten.baddbmm.default", tensors({{2, 3, 7}, {2, 3, 5}, {2, 5, 7}})), 420);
}
TEST_F(FlopFormulas, ScaledMm) {
    EXPECT_EQ(flops("aten._scaled_mm.default", tensors({{3, 5}, {5, 7}, {1}, {1}})), 210);
}

TEST_F(FlopFormulas, CountsBeyondDoublePrecisionAreExactBeforeTheyAreRounded) {
    const std::int64_t odd = 3'000'001;
    EXPECT_EQ(flops("aten.mm.default", tensors({{odd, 3}, {3, odd}})), static_cast<double>(odd * odd * 6));
}

TEST_F(FlopFormulas, Convolution) {
    std::vector<Value> arguments = tensors({{2, 6, 9, 11}, {8, 3, 3, 5}});
    arguments.insert(arguments.end(), {Value::of_none(), numbers({1, 1}), numbers({0, 0}), numbers({1, 1}),
                                       truth(false), numbers({0, 0}), Value::of_integer(2)});
    EXPECT_EQ(flops("aten.convolution.default", arguments, {{2, 8, 7, 7}}), 70560);
}

TEST_F(FlopFormulas, TransposedConvolution) {
    std::vector<Value> arguments = tensors({{2, 6, 9, 11}, {6, 4, 3, 5}});
    arguments.insert(arguments.end(),
                     {Value::of_none(), numbers({1, 1}), numbers({0, 0}), numbers({1, 1}), truth(true)});
    EXPECT_EQ(flops("aten.convolution.default", arguments, {{2, 4, 11, 15}}), 142560);
}

TEST_F(FlopFormulas, CudnnConvolutionTakesBenchmarkForTransposed) {
    // Its seventh argument is `benchmark`, which torch's counter reads as `transposed`.
    std::vector<Value> arguments = tensors({{2, 6, 9, 11}, {8, 6, 3, 5}});
    arguments.insert(arguments.end(), {numbers({0, 0}), numbers({1, 1}), numbers({1, 1}), Value::of_integer(1),
                                       truth(true), truth(false), truth(true)});
    EXPECT_EQ(flops("aten.cudnn_convolution.default", arguments, {{2, 8, 7, 7}}), 285120);
}

class ConvolutionBackward : public FlopFormulas {
  protected:
    double count(bool transposed, std::vector<bool> mask) {
        const Sizes weight = transposed ? Sizes{6, 4, 3, 5} : Sizes{8, 6, 3, 5};
        std::vector<Value> arguments =
            tensors({transposed ? Sizes{2, 4, 11, 15} : Sizes{2, 8, 7, 7}, {2, 6, 9, 11}, weight});
        std::vector<Value> wanted;
        for (const bool want : mask) wanted.push_back(truth(want));
        arguments.insert(arguments.end(),
                         {numbers({8}), numbers({1, 1}), numbers({0, 0}), numbers({1, 1}), truth(transposed),
                          numbers({0, 0}), Value::of_integer(1), sketch.list(wanted)});
        return flops("aten.convolution_backward.default", arguments,
                     {mask[0] ? Sizes{2, 6, 9, 11} : Sizes{}, mask[1] ? weight : Sizes{}, {}});
    }
};

TEST_F(ConvolutionBackward, BothGradients) {
    EXPECT_EQ(count(false, {true, true, true}), 282240);
}
TEST_F(ConvolutionBackward, WeightOnly) {
    EXPECT_EQ(count(false, {false, true, false}), 141120);
}
TEST_F(ConvolutionBackward, InputOnly) {
    EXPECT_EQ(count(false, {true, false, false}), 141120);
}
TEST_F(ConvolutionBackward, Transposed) {
    EXPECT_EQ(count(true, {true, true, true}), 285120);
}
TEST_F(ConvolutionBackward, TransposedWeightOnly) {
    EXPECT_EQ(count(true, {false, true, false}), 142560);
}

TEST_F(FlopFormulas, GroupedQueryAttention) {
    EXPECT_EQ(flops("aten._scaled_dot_product_cudnn_attention.default",
                    tensors({{2, 8, 16, 4}, {2, 2, 32, 4}, {2, 2, 32, 6}})),
              163840);
}

TEST_F(FlopFormulas, GroupedQueryAttentionBackward) {
    EXPECT_EQ(flops("aten._scaled_dot_product_flash_attention_backward.default",
                    tensors({{2, 8, 16, 6}, {2, 8, 16, 4}, {2, 2, 32, 4}, {2, 2, 32, 6}})),
              393216);
}

TEST_F(FlopFormulas, FlashKernelHasSequenceBeforeHeads) {
    std::vector<Value> arguments = tensors({{2, 16, 8, 4}, {2, 32, 2, 4}, {2, 32, 2, 6}});
    arguments.insert(arguments.end(),
                     {Value::of_none(), Value::of_none(), Value::of_integer(16), Value::of_integer(32)});
    EXPECT_EQ(flops("aten._flash_attention_forward.default", arguments), 163840);
}

TEST_F(FlopFormulas, JaggedFlashKernelTakesTheLongestSequence) {
    std::vector<Value> arguments = tensors({{20, 8, 4}, {40, 2, 4}, {40, 2, 6}, {4}, {4}});
    arguments.insert(arguments.end(), {Value::of_integer(10), Value::of_integer(20)});
    EXPECT_EQ(flops("aten._flash_attention_forward.default", arguments), 96000);
}

TEST_F(FlopFormulas, JaggedFlashKernelBackward) {
    std::vector<Value> arguments =
        tensors({{20, 8, 6}, {20, 8, 4}, {40, 2, 4}, {40, 2, 6}, {20, 8, 6}, {8, 20}, {4}, {4}});
    arguments.insert(arguments.end(), {Value::of_integer(10), Value::of_integer(20)});
    EXPECT_EQ(flops("aten._flash_attention_backward.default", arguments), 230400);
}

TEST_F(FlopFormulas, EfficientKernel) {
    EXPECT_EQ(
        flops("aten._efficient_attention_forward.default", tensors({{2, 8, 16, 4}, {2, 2, 32, 4}, {2, 2, 32, 6}})),
        163840);
}

TEST_F(FlopFormulas, JaggedEfficientKernelBackward) {
    std::vector<Value> arguments = tensors({{1, 20, 8, 6}, {1, 20, 8, 4}, {1, 40, 2, 4}, {1, 40, 2, 6}});
    arguments.insert(arguments.end(), {Value::of_none(), Value::of_none()});
    for (const Value& offsets : tensors({{4}, {4}})) arguments.push_back(offsets);
    arguments.insert(arguments.end(), {Value::of_integer(10), Value::of_integer(20)});
    EXPECT_EQ(flops("aten._efficient_attention_backward.default", arguments), 230400);
}

TEST_F(FlopFormulas, FlexAttentionCountsTheCausalHalf) {
    EXPECT_EQ(flops("higher_order.flex_attention", tensors({{2, 8, 16, 4}, {2, 2, 32, 4}, {2, 2, 32, 6}})), 81920);
}

TEST_F(FlopFormulas, FlexAttentionBackwardIsFiveHalves) {
    EXPECT_EQ(flops("higher_order.flex_attention_backward", tensors({{2, 8, 16, 4}, {2, 2, 32, 4}, {2, 2, 32, 6}})),
              204800);
}

TEST_F(FlopFormulas, OtherOperatorsCountNothing) {
    EXPECT_EQ(flops("aten.relu.default", tensors({{3, 5}})), 0);
}

TEST_F(FlopFormulas, ShapesThatDoNotFitAreRefused) {
    EXPECT_THROW(flops("aten.mm.default", tensors({{3, 5}, {6, 7}})), InputError);
}
TEST_F(FlopFormulas, MissingTensorsAreRefused) {
    EXPECT_THROW(flops("aten.mm.default", tensors({{3, 5}})), InputError);
}
TEST_F(FlopFormulas, HeadsThatAreNoMultipleAreRefused) {
    EXPECT_THROW(flops("aten._scaled_dot_product_flash_attention.default",
                       tensors({{2, 8, 16, 4}, {2, 3, 32, 4}, {2, 3, 32, 6}})),
                 InputError);
}
TEST_F(FlopFormulas, WrongRanksAreRefused) {
    EXPECT_THROW(
        flops("aten._scaled_dot_product_flash_attention.default", tensors({{2, 8, 16}, {2, 3, 32}, {2, 3, 32}})),
        InputError);
}

}  // namespace
}  // namespace overlap::test
