#include "core/batch/batch_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

#include "tests/batch/token_step.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

Value number(std::int64_t value) {
    return Value::of_integer(value);
}

/// What makes the node `result` from the sequences of a step, and its sizes with six sequences instead of two.
struct RuleCase {
    std::string_view name;
    std::function<void(Step&)> add;
    Sizes sizes;
};

NodeId rows_of(Step& step) {
    return step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
}

NodeId turned_sequences(Step& step) {
    return step.call("turned", "aten.transpose.int", {Step::node(step.embedded), number(1), number(-1)}, {2, 4, 8});
}

/// Sequences with one head each: queries, keys and values at once.
NodeId heads_of(Step& step) {
    return step.call("heads", "aten.unsqueeze.default", {Step::node(step.embedded), number(1)}, {2, 1, 8, 4});
}

/// Numbers of places, which are no input: those would be tokens.
NodeId places(Step& step, std::int64_t count) {
    return step.call("places", "aten.arange.default", {number(count)}, {count});
}

void attend(Step& step, const Sizes& mask_sizes) {
    const Value heads = Step::node(heads_of(step)), mask = Step::node(step.input("mask", "bool", mask_sizes));
    test::call_with(step.builder, "result", "aten._scaled_dot_product_flash_attention_for_cpu.default",
                    {heads, heads, heads}, {{"attn_mask", mask}},
                    {step.tensor("float32", {2, 1, 8, 4}), step.tensor("float32", {2, 1, 8})});
}

const RuleCase rule_cases[] = {
    {"Permute",
     [](Step& step) {
         step.call("result", "aten.permute.default", {Step::node(step.embedded), step.list({1, -3, 2})}, {8, 2, 4});
     },
     {8, 6, 4}},
    {"Squeeze",
     [](Step& step) {
         step.call("result", "aten.squeeze.dims", {Step::node(heads_of(step)), step.list({1})}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"ReductionWithoutKeeping",
     [](Step& step) {
         step.call("result", "aten.amax.default",
                   {Step::node(step.embedded), step.list({-1}), Value::of_boolean(false)}, {2, 8});
     },
     {6, 8}},
    {"ProductOfBatches",
     [](Step& step) {
         const Value turned = Step::node(turned_sequences(step));
         step.call("result", "aten.bmm.default", {Step::node(step.embedded), turned}, {2, 8, 8});
     },
     {6, 8, 8}},
    {"ProductWithBias",
     [](Step& step) {
         const Value bias = Step::node(step.input("bias", "float32", {6})),
                     weight = Step::node(step.input("weight", "float32", {4, 6}));
         step.call("result", "aten.addmm.default", {bias, Step::node(rows_of(step)), weight}, {16, 6});
     },
     {48, 6}},
    {"Normalization",
     [](Step& step) {
         const Value weight = Step::node(step.input("weight", "float32", {4}));
         step.calls("result", "aten.native_layer_norm.default",
                    {Step::node(step.embedded), step.list({4}), weight, weight}, {{2, 8, 4}, {2, 8, 1}, {2, 8, 1}});
     },
     {6, 8, 4}},
    {"ItemOfTuple",
     [](Step& step) {
         const NodeId norm = step.calls("norm", "aten._fused_rms_norm.default",
                                        {Step::node(step.embedded), step.list({4})}, {{2, 8, 4}, {2, 8, 1}});
         step.call("result", "operator.getitem", {Step::node(norm), number(1)}, {2, 8, 1});
     },
     {6, 8, 1}},
    {"Stack",
     [](Step& step) {
         const Value both[] = {Step::node(step.embedded), Step::node(step.embedded)};
         step.call("result", "aten.stack.default", {step.builder.list(both), number(1)}, {2, 2, 8, 4});
     },
     {6, 2, 8, 4}},
    {"Roll",
     [](Step& step) {
         step.call("result", "aten.roll.default", {Step::node(step.embedded), step.list({1}), step.list({-2})},
                   {2, 8, 4});
     },
     {6, 8, 4}},
    {"Pad",
     [](Step& step) {
         step.call("result", "aten.constant_pad_nd.default", {Step::node(step.embedded), step.list({0, 1})}, {2, 8, 5});
     },
     {6, 8, 5}},
    {"PadOfAllButTheBatch",
     [](Step& step) {
         step.call("result", "aten.constant_pad_nd.default", {Step::node(step.embedded), step.list({0, 1, 2, 0})},
                   {2, 10, 5});
     },
     {6, 10, 5}},
    {"GradientOfASlice",
     [](Step& step) {
         const NodeId slice = step.call("slice", "aten.slice.Tensor",
                                        {Step::node(step.embedded), number(1), number(0), number(4)}, {2, 4, 4});
         step.call("result", "aten.slice_backward.default",
                   {Step::node(slice), step.list({2, 8, 4}), number(1), number(0), number(4), number(1)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"GradientOfASelection",
     [](Step& step) {
         const NodeId first =
             step.call("first", "aten.select.int", {Step::node(step.embedded), number(1), number(0)}, {2, 4});
         step.call("result", "aten.select_backward.default",
                   {Step::node(first), step.list({2, 8, 4}), number(1), number(0)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"RowsByNumber",
     [](Step& step) {
         step.call("result", "aten.index_select.default",
                   {Step::node(step.embedded), number(1), Step::node(places(step, 3))}, {2, 3, 4});
     },
     {6, 3, 4}},
    {"Scatter",
     [](Step& step) {
         const Value each = Step::node(step.embedded);
         step.call("result", "aten.scatter.src", {each, number(-1), each, each}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"GatherOfFewer",
     [](Step& step) {
         const NodeId first = step.call("first", "aten.slice.Tensor",
                                        {Step::node(step.embedded), number(1), number(0), number(5)}, {2, 5, 4});
         step.call("result", "aten.gather.default", {Step::node(step.embedded), number(2), Step::node(first)},
                   {2, 5, 4});
     },
     {6, 5, 4}},
    {"RowsOfATableByTokens",
     [](Step& step) {
         const Value numbers[] = {Step::node(step.tokens)};
         step.call("result", "aten.index.Tensor", {Step::node(step.table), step.builder.list(numbers)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"ValuesForRowsOfATable",
     [](Step& step) {
         const Value numbers[] = {Step::node(step.tokens)};
         step.call("result", "aten.index_put.default",
                   {Step::node(step.table), step.builder.list(numbers), Step::node(step.embedded)}, {16, 4});
     },
     {16, 4}},
    {"OneValueForRowsOfATable",
     [](Step& step) {
         const Value numbers[] = {Step::node(step.tokens)}, value = Step::node(step.input("value", "float32", {1, 1}));
         step.call("result", "aten.index_put.default", {Step::node(step.table), step.builder.list(numbers), value},
                   {16, 4});
     },
     {16, 4}},
    {"OneValueWhereAMaskSays",
     [](Step& step) {
         const TensorMeta truth = step.tensor("bool", {2, 8, 4}), single = step.tensor("float32", {});
         const Value compared[] = {Step::node(step.embedded), number(0)}, zero[] = {number(0)};
         const Value mask[] = {Step::node(step.builder.call("mask", "aten.gt.Scalar", compared, {&truth, 1}))};
         const NodeId value = step.builder.call("value", "aten.scalar_tensor.default", zero, {&single, 1});
         step.call("result", "aten.index_put.default",
                   {Step::node(step.embedded), step.builder.list(mask), Step::node(value)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"LossOfEachLabel",
     [](Step& step) {
         const Value scores = Step::node(turned_sequences(step));
         step.calls("result", "aten.nll_loss2d_forward.default", {scores, Step::node(step.tokens)}, {{2, 8}, {}});
     },
     {6, 8}},
    {"LossOfEachElement",
     [](Step& step) {
         const Value each = Step::node(step.embedded);
         step.call("result", "aten.mse_loss.default", {each, each, number(0)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"LossOfAllElements",
     [](Step& step) {
         const Value each = Step::node(step.embedded);
         step.call("result", "aten.mse_loss.default", {each, each, number(1)}, {});
     },
     {}},
    {"AttentionUnderAMaskOfThePlaces",
     [](Step& step) {
         attend(step, {8, 8});
     },
     {6, 1, 8, 4}},
    {"AttentionUnderAMaskOfEachSequence",
     [](Step& step) {
         attend(step, {2, 1, 8, 8});
     },
     {6, 1, 8, 4}},
    {"PartsAlongWhatStays",
     [](Step& step) {
         step.calls("result", "aten.split.Tensor", {Step::node(step.embedded), number(4), number(1)},
                    {{2, 4, 4}, {2, 4, 4}});
     },
     {6, 4, 4}},
    {"OnePartThatIsAll",
     [](Step& step) {
         step.calls("result", "aten.split.Tensor", {Step::node(step.embedded), number(2)}, {{2, 8, 4}});
     },
     {6, 8, 4}},
    {"PartsOfSeveralBatches",
     [](Step& step) {
         const NodeId gathered = step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                                           {Step::node(step.embedded), number(4), step.builder.string("0")}, {8, 8, 4});
         const NodeId split = step.calls("split", "aten.split_with_sizes.default",
                                         {Step::node(gathered), step.list({2, 6})}, {{2, 8, 4}, {6, 8, 4}});
         step.call("result", "operator.getitem", {Step::node(split), number(1)}, {6, 8, 4});
     },
     {18, 8, 4}},
    {"ASliceOfAllThatThereIs",
     [](Step& step) {
         step.call("result", "aten.slice.Tensor", {Step::node(step.embedded), number(0), number(0), number(INT64_MAX)},
                   {2, 8, 4});
     },
     {6, 8, 4}},
    {"ASliceOfSomePlaces",
     [](Step& step) {
         step.call("result", "aten.slice.Tensor",
                   {Step::node(step.embedded), number(1), number(0), number(8), number(2)}, {2, 4, 4});
     },
     {6, 4, 4}},
    {"NothingRepeatedAlongTheBatch",
     [](Step& step) {
         const NodeId row = step.input("row", "float32", {4});
         TensorMeta repeated = step.tensor("float32", {2, 8, 4});
         repeated.first_dimension = step.builder.dimensions(Sizes{2, 8, 4}, Sizes{0, 0, 1});
         const Value args[] = {Step::node(row), step.list({2, 8, 4})};
         const NodeId rows = step.builder.call("result", "aten.expand.default", args, {&repeated, 1});
         step.call("sum", "aten.add.Tensor", {Step::node(step.embedded), Step::node(rows)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"AColumnRepeated",  // a size of one beside one of eight says nothing
     [](Step& step) {
         const NodeId column = step.input("column", "float32", {1, 8, 1});
         step.call("result", "aten.mul.Tensor", {Step::node(step.embedded), Step::node(column)}, {2, 8, 4});
     },
     {6, 8, 4}},
    {"PartsOfWhatIsFixed",
     [](Step& step) {
         const NodeId zeros = step.call("zeros", "aten.zeros.default", {step.list({4, 4})}, {4, 4});
         const NodeId ones = step.call("ones", "aten.ones.default", {step.list({12, 4})}, {12, 4});
         const Value both[] = {Step::node(zeros), Step::node(ones)};
         const NodeId whole = step.call("whole", "aten.cat.default", {step.builder.list(both)}, {16, 4});
         step.call("result", "aten.add.Tensor", {Step::node(step.table), Step::node(whole)}, {16, 4});
     },
     {16, 4}},
    {"GradientOfANormalization",
     [](Step& step) {
         const Value each = Step::node(step.embedded), weight = Step::node(step.input("weight", "float32", {4}));
         const Value one = Step::node(
             step.call("mean", "aten.amax.default", {each, step.list({-1}), Value::of_boolean(true)}, {2, 8, 1}));
         const Value wanted[] = {Value::of_boolean(true), Value::of_boolean(true), Value::of_boolean(true)};
         step.calls("result", "aten.native_layer_norm_backward.default",
                    {each, each, step.list({4}), one, one, weight, weight, step.builder.list(wanted)},
                    {{2, 8, 4}, {4}, {4}});
     },
     {6, 8, 4}},
    {"GradientOfALoss",
     [](Step& step) {
         const Value scores = Step::node(turned_sequences(step)), labels = Step::node(step.tokens);
         const NodeId losses =
             step.call("losses", "aten.amax.default", {scores, step.list({1}), Value::of_boolean(false)}, {2, 8});
         step.call("result", "aten.nll_loss2d_backward.default", {Step::node(losses), scores, labels}, {2, 4, 8});
     },
     {6, 4, 8}},
    {"RowsOfATableForEachSequence",
     [](Step& step) {
         const Value rows = Step::node(step.input("three", "float32", {3, 8, 4}));
         const NodeId two = step.call("two", "aten.slice.Tensor", {rows, number(0), number(0), number(2)}, {2, 8, 4});
         step.call("result", "aten.gather.default", {Step::node(two), number(0), Step::node(step.embedded)}, {2, 8, 4});
     },
     {6, 8, 4}},
};

TEST(BatchRules, FollowTheBatch) {
    for (const RuleCase& one : rule_cases) {
        SCOPED_TRACE(one.name);
        Step step;
        one.add(step);
        EXPECT_EQ(shape(*step.with(6), "result"), one.sizes);
    }
}

TEST(BatchRules, SizesAmongArgumentsOfGradientsFollow) {
    Step step;
    const NodeId slice = step.call("slice", "aten.slice.Tensor",
                                   {Step::node(step.embedded), number(1), number(0), number(4)}, {2, 4, 4});
    step.call("result", "aten.slice_backward.default",
              {Step::node(slice), step.list({2, 8, 4}), number(1), number(0), number(4), number(1)}, {2, 8, 4});
    EXPECT_EQ(integers(*step.with(6), "result", 1), (Sizes{6, 8, 4}));
}

TEST(BatchRules, PartsOfSeveralSizesFollow) {
    Step step;
    const NodeId gathered = step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                                      {Step::node(step.embedded), number(4), step.builder.string("0")}, {8, 8, 4});
    step.calls("split", "aten.split_with_sizes.default", {Step::node(gathered), step.list({2, 6})},
               {{2, 8, 4}, {6, 8, 4}});
    EXPECT_EQ(integers(*step.with(6), "split", 1), (Sizes{6, 18}));
}

/// What an operator makes one size of whatever the batch is must not be the batch.
TEST(BatchRules, TheBatchIsNoDimensionOfOneSize) {
    const auto refusal = [](const std::function<void(Step&, Value)>& add) {
        Step step;
        add(step, Step::node(step.embedded));
        return step.refusal(6);
    };
    const std::string meets =
        "node \"result\": the batch cannot be changed: it brings together what grows with the batch and what does not";
    EXPECT_EQ(refusal([](Step& step, Value each) {
                  step.calls("result", "aten.native_layer_norm.default", {each, step.list({2, 8, 4})},
                             {{2, 8, 4}, {1, 1, 1}, {1, 1, 1}});
              }),
              meets);
    EXPECT_EQ(refusal([](Step& step, Value each) {
                  step.call("result", "aten.roll.default", {each, step.list({1}), step.list({0})}, {2, 8, 4});
              }),
              meets);
    EXPECT_EQ(refusal([](Step& step, Value each) {
                  const Value numbers[] = {Step::node(places(step, 2))};
                  step.call("result", "aten.index_put.default", {each, step.builder.list(numbers), each}, {2, 8, 4});
              }),
              meets);
    EXPECT_EQ(refusal([](Step& step, Value each) {
                  for (const std::int64_t begin : {0, 1})
                      step.call(begin == 0 ? "result" : "other", "aten.slice.Tensor",
                                {each, number(0), number(begin), number(begin + 1)}, {1, 8, 4});
              }),
              "node \"result\": the batch cannot be changed: it takes parts of 1 along the batch, which are no whole "
              "batches: whether they grow or become more is not known");
}

/// Numbers of a gather are never more than the input has along another dimension: torch refuses them.
TEST(BatchRules, GathersOfFewerAreNotOfTheBatch) {
    const auto refusal = [](const Sizes& input, const Sizes& numbers) {
        Step step;
        const auto of_size = [&](std::string_view name, const Sizes& sizes) {
            if (sizes[0] == 2) return step.embedded;
            return step.input(name, "float32", sizes);
        };
        step.call("result", "aten.gather.default",
                  {Step::node(of_size("rows", input)), number(1), Step::node(of_size("numbers", numbers))}, numbers);
        return step.refusal(6);
    };
    const std::string meets =
        "node \"result\": the batch cannot be changed: it brings together what grows with the batch and what does not";
    EXPECT_EQ(refusal({3, 8, 4}, {2, 8, 4}), meets);
    EXPECT_EQ(refusal({2, 8, 4}, {1, 8, 4}), meets);
    EXPECT_EQ(refusal({3, 8, 4}, {1, 8, 4}), "");
}

}  // namespace
}  // namespace overlap
