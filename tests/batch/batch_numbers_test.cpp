#include "core/batch/batch_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/batch/token_step.h"

namespace overlap {
namespace {

Value counted(std::int64_t value) {
    return Value::of_integer(value);
}

/// The refusal of a step whose loss is multiplied by `factor`. It has 2 sequences, 8 tokens each, 64 elements.
std::string refusal_of_factor(const Value& factor) {
    Step step;
    step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId sum = step.call("sum", "aten.sum.default", {Step::node(step.embedded)}, {});
    step.call("loss", "aten.mul.Tensor", {Step::node(sum), factor}, {});
    return step.refusal(6);
}

TEST(BatchNumbers, AFactorThatCountsWhatGrowsIsRefused) {
    for (const auto& [factor, count] : std::vector<std::pair<Value, std::string>>{{counted(2), "2"},
                                                                                  {counted(16), "16"},
                                                                                  {counted(64), "64"},
                                                                                  {counted(-16), "16"},
                                                                                  {Value::of_floating(0.0625), "16"},
                                                                                  {Value::of_floating(16), "16"}}) {
        EXPECT_EQ(refusal_of_factor(factor),
                  "node \"loss\": the batch cannot be changed: its number of " + count +
                      " may count what grows with the batch, and would have to grow with it");
    }
}

TEST(BatchNumbers, OtherFactorsStay) {
    for (const Value& factor :
         {counted(0), counted(1), counted(3), counted(8), Value::of_floating(16.5), Value::of_floating(16.25),
          Value::of_floating(0.06), Value::of_floating(1e300), Value::of_floating(1.4), Value::of_boolean(true)})
        EXPECT_EQ(refusal_of_factor(factor), "");
}

TEST(BatchNumbers, TheBatchMayBeAFactorOfATensor) {
    Step step;
    step.call("half", "aten.div.Tensor", {Step::node(step.embedded), counted(2)}, {2, 8, 4});
    EXPECT_EQ(step.refusal(6), "");
}

/// Few numbers are as frequent as a small batch.
TEST(BatchNumbers, TheBatchMayFillATensor) {
    Step step;
    step.call("filled", "aten.new_full.default", {Step::node(step.embedded), step.list({}), counted(2)}, {});
    EXPECT_EQ(step.refusal(6), "");
}

TEST(BatchNumbers, ANumberThatFillsATensorIsRefused) {
    const auto refusal = [](std::string_view target, std::vector<Value> args, bool of_sequences) {
        Step step;
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
        if (of_sequences) args.insert(args.begin(), Step::node(step.embedded));
        if (target == "aten.full.default") args.insert(args.begin(), step.list({3}));
        if (target == "aten.new_full.default") args.insert(args.begin() + 1, step.list({3}));
        const bool is_like = target == "aten.full_like.default";
        step.call("filled", target, args, is_like ? Sizes{2, 8, 4} : Sizes{3});
        return step.refusal(6);
    };
    const std::string wanted = "node \"filled\": the batch cannot be changed: its number of 16 may count";
    EXPECT_TRUE(refusal("aten.full.default", {counted(16)}, false).starts_with(wanted));
    EXPECT_TRUE(refusal("aten.full_like.default", {counted(16)}, true).starts_with(wanted));
    EXPECT_TRUE(refusal("aten.new_full.default", {counted(16)}, true).starts_with(wanted));
    EXPECT_TRUE(refusal("aten.scalar_tensor.default", {counted(16)}, false).starts_with(wanted));
    EXPECT_EQ(refusal("aten.full.default", {counted(17)}, false), "");
    EXPECT_EQ(refusal("aten.full.default", {counted(2)}, false), "");  // as often a number of the model
}

TEST(BatchNumbers, TheGradientOfAMeanOverTheBatchIsRefused) {
    Step step;
    const NodeId sum = step.call("sum", "aten.sum.default", {Step::node(step.embedded)}, {});
    TensorMeta repeated = step.tensor("float32", {2, 8, 4});
    repeated.first_dimension = step.builder.dimensions(Sizes{2, 8, 4}, Sizes{0, 0, 0});
    const Value args[] = {Step::node(sum), step.list({2, 8, 4})};
    const NodeId expanded = step.builder.call("expanded", "aten.expand.default", args, {&repeated, 1});
    const NodeId mean = step.call("mean", "aten.div.Scalar", {Step::node(expanded), counted(64)}, {2, 8, 4});
    step.call("gradient", "aten.mul.Tensor", {Step::node(step.embedded), Step::node(mean)}, {2, 8, 4});
    EXPECT_TRUE(step.refusal(6).starts_with("node \"mean\": the batch cannot be changed: its number of 64 may count"));
}

TEST(BatchNumbers, AnInputThatNothingExplainsIsRefused) {
    Step step;
    step.input("frames", "float32", {2, 5});
    EXPECT_EQ(step.refusal(6),
              "node \"frames\": the batch cannot be changed: whether its first size of 2 is the batch is not known");
}

TEST(BatchNumbers, InputsThatMeetEachOtherAreWeights) {
    Step step;
    const Value one = Step::node(step.input("one", "float32", {2, 5})),
                other = Step::node(step.input("other", "float32", {2, 5}));
    step.call("sum", "aten.add.Tensor", {one, other}, {2, 5});
    EXPECT_EQ(shape(*step.with(6), "sum"), (Sizes{2, 5}));
}

TEST(BatchNumbers, SizesAmongArgumentsOfUnknownOperatorsAreRefused) {
    const auto refusal = [](std::int64_t size, bool in_a_list) {
        Step step;
        const Value named = in_a_list ? step.list({3, size}) : counted(size);
        step.call("made", "aten.some.default", {named}, {3, size});
        return step.refusal(6);
    };
    const std::string wanted =
        "node \"made\": the batch cannot be changed: whether its size of 4 is made from the batch is not known";
    EXPECT_EQ(refusal(4, true), wanted);
    EXPECT_EQ(refusal(4, false), wanted);
    EXPECT_EQ(refusal(2, false),
              "node \"made\": the batch cannot be changed: whether its size of 2 is made from the batch is not known");
    EXPECT_EQ(refusal(5, true), "");
    EXPECT_EQ(refusal(1, false), "");
}

}  // namespace
}  // namespace overlap
