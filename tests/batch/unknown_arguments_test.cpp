#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/batch/unknown_case.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

const UnknownCase unknown_cases[] = {
    {"ProductOfOtherRanks",
     "aten.mm.default",
     [](Step& step) {
         return std::vector{each(step), Step::node(step.table)};
     },
     {2, 8, 4}},
    {"ProductOfRows",
     "aten.mm.default",
     [](Step& step) {
         const Value row = row_of_tokens(step);
         return std::vector{row, row};
     },
     {2}},
    {"ProductWithANumber",
     "aten.mm.default",
     [](Step& step) {
         return std::vector{each(step), integer(2)};
     },
     {2, 8, 4}},
    {"RowsOfAnotherRank",
     "aten.embedding.default",
     [](Step& step) {
         return std::vector{Step::node(step.table), Step::node(step.tokens)};
     },
     {2, 8}},
    {"RowsByANumber",
     "aten.embedding.default",
     [](Step& step) {
         return std::vector{each(step), integer(2)};
     },
     {2, 8, 4}},
    {"GradientOfRowsByANumber",
     "aten.embedding_dense_backward.default",
     [](Step& step) {
         return std::vector{each(step), integer(2)};
     },
     {16, 4}},
    {"GradientOfRowsOfAnotherRank",
     "aten.embedding_dense_backward.default",
     [](Step& step) {
         return std::vector{each(step), Step::node(step.tokens)};
     },
     {16}},
    {"AttentionOfThreeDimensions",
     "aten._scaled_dot_product_flash_attention.default",
     [](Step& step) {
         return std::vector{each(step), each(step), each(step)};
     },
     {2, 8, 4}},
    {"AttentionWithoutKeys",
     "aten._scaled_dot_product_flash_attention.default",
     [](Step& step) { return std::vector{each(step)}; },
     {2, 8, 4}},
    {"GradientOfAttentionOfThreeDimensions",
     "aten._scaled_dot_product_flash_attention_backward.default",
     [](Step& step) {
         return std::vector{each(step), each(step), each(step), each(step)};
     },
     {2, 8, 4}},
    {"LossOfOneDimension",
     "aten.nll_loss_forward.default",
     [](Step& step) {
         const Value row = row_of_tokens(step);
         return std::vector{row, row};
     },
     {}},
    {"LossOfAsManyDimensions",
     "aten.nll_loss_forward.default",
     [](Step& step) {
         return std::vector{each(step), each(step)};
     },
     {}},
    {"LossWithoutLabels", "aten.nll_loss_forward.default", [](Step& step) { return std::vector{each(step)}; }, {}},
    {"LossOfAnotherRank",
     "aten.nll_loss2d_forward.default",
     [](Step& step) {
         return std::vector{each(step), Step::node(step.tokens)};
     },
     {2}},
    {"GradientOfALossWithoutLabels",
     "aten.nll_loss_backward.default",
     [](Step& step) {
         return std::vector{each(step), each(step)};
     },
     {2, 8, 4}},
    {"GradientOfALossOfAsManyDimensions",
     "aten.nll_loss_backward.default",
     [](Step& step) {
         return std::vector{each(step), each(step), each(step)};
     },
     {2, 8, 4}},
    {"LossOfANumber",
     "aten.mse_loss.default",
     [](Step& step) {
         return std::vector{each(step), integer(2)};
     },
     {}},
    {"LossOfSizesThatDoNotFit",
     "aten.mse_loss.default",
     [](Step& step) {
         return std::vector{each(step), Step::node(step.tokens)};
     },
     {}},
    {"LossOfAnotherRankThanElements",
     "aten.mse_loss.default",
     [](Step& step) {
         return std::vector{each(step), each(step)};
     },
     {2}},
    {"ElementsThatDoNotFit",
     "aten.add.Tensor",
     [](Step& step) {
         return std::vector{each(step), Step::node(step.tokens)};
     },
     {2, 8, 4}},
    {"IndexByTwo",
     "aten.index.Tensor",
     [](Step& step) {
         const Value tokens = Step::node(step.tokens);
         return std::vector{Step::node(step.table), list_of(step, {tokens, tokens}), each(step)};
     },
     {2, 8}},
    {"IndexByANumber",
     "aten.index.Tensor",
     [](Step& step) {
         return std::vector{each(step), step.list({1})};
     },
     {8, 4}},
    {"IndexOfAnotherRank",
     "aten.index.Tensor",
     [](Step& step) {
         return std::vector{Step::node(step.table), list_of(step, {Step::node(step.tokens)})};
     },
     {2, 8}},
    {"PutByNothing",
     "aten.index_put.default",
     [](Step& step) {
         return std::vector{each(step), step.list({}), each(step)};
     },
     {2, 8, 4}},
    {"PutByTooMany",
     "aten.index_put.default",
     [](Step& step) {
         const Value tokens = Step::node(step.tokens);
         return std::vector{tokens, list_of(step, {tokens, tokens, tokens}), each(step)};
     },
     {2, 8}},
    {"PutByANumber",
     "aten.index_put.default",
     [](Step& step) {
         return std::vector{Step::node(step.table), step.list({1}), each(step)};
     },
     {16, 4}},
    {"PutByOtherRanks",
     "aten.index_put.default",
     [](Step& step) {
         const Value row = row_of_tokens(step);
         return std::vector{Step::node(step.table), list_of(step, {Step::node(step.tokens), row}), row};
     },
     {16, 4}},
    {"PutOfMoreThanThereIs",
     "aten.index_put.default",
     [](Step& step) {
         const Value row = row_of_tokens(step);
         const NodeId rows = step.call("rows", "aten.expand.default", {row, step.list({3, 2})}, {3, 2});
         return std::vector{Step::node(step.table), list_of(step, {row, row}), Step::node(rows)};
     },
     {16, 4}},
    {"RowsByTable",
     "aten.index_select.default",
     [](Step& step) {
         return std::vector{each(step), integer(1), Step::node(step.tokens)};
     },
     {2, 8, 4}},
    {"RowsByNumberOfAnotherRank",
     "aten.index_select.default",
     [](Step& step) {
         return std::vector{each(step), integer(1), row_of_tokens(step)};
     },
     {2, 4}},
    {"ScatterOfAnotherRank",
     "aten.scatter.src",
     [](Step& step) {
         return std::vector{each(step), integer(1), Step::node(step.tokens), each(step)};
     },
     {2, 8, 4}},
    {"ScatterOfOtherSizes",
     "aten.scatter.value",
     [](Step& step) {
         const NodeId some =
             step.call("some", "aten.slice.Tensor", {each(step), integer(1), integer(0), integer(4)}, {2, 4, 4});
         return std::vector{each(step), integer(2), Step::node(some), integer(1)};
     },
     {2, 8, 4}},
    {"ScatterOfOtherValues",
     "aten.scatter.src",
     [](Step& step) {
         const NodeId some =
             step.call("some", "aten.slice.Tensor", {each(step), integer(1), integer(0), integer(4)}, {2, 4, 4});
         return std::vector{each(step), integer(2), each(step), Step::node(some)};
     },
     {2, 8, 4}},
    {"GatherOfAnotherRank",
     "aten.gather.default",
     [](Step& step) {
         return std::vector{each(step), integer(1), Step::node(step.tokens)};
     },
     {2, 8}},
    {"MeanOverNoDimension",
     "aten.mean.dim",
     [](Step& step) {
         return std::vector{each(step), step.list({3})};
     },
     {2, 8}},
    {"MeanOverAComputedDimension",
     "aten.mean.dim",
     [](Step& step) {
         return std::vector{each(step), list_of(step, {each(step)})};
     },
     {2, 8}},
    {"SumOfAll", "aten.sum.default", [](Step& step) { return std::vector{each(step)}; }, {2}},
    {"SelectionFromNoDimension",
     "aten.select.int",
     [](Step& step) {
         return std::vector{each(step), integer(3), integer(0)};
     },
     {2, 8}},
    {"ItemBeforeTheFirst",
     "operator.getitem",
     [](Step& step) {
         return std::vector{each(step), integer(-1)};
     },
     {2, 8, 4}},
    {"ItemOfAName",
     "operator.getitem",
     [](Step& step) {
         return std::vector{each(step), step.builder.string("first")};
     },
     {2, 8, 4}},
    {"ViewOfOtherElements",
     "aten.view.default",
     [](Step& step) {
         return std::vector{each(step), step.list({2, 7})};
     },
     {2, 7}},
    {"ViewOfNothing",
     "aten.view.default",
     [](Step& step) {
         return std::vector{each(step), step.list({2, 0})};
     },
     {2, 0}},
    {"TransposedRow", "aten.t.default", [](Step& step) { return std::vector{row_of_tokens(step)}; }, {2}},
    {"OrderOfFewer",
     "aten.permute.default",
     [](Step& step) {
         return std::vector{each(step), step.list({1, 0})};
     },
     {8, 2}},
    {"ComputedOrder",
     "aten.permute.default",
     [](Step& step) {
         return std::vector{each(step), list_of(step, {each(step), integer(1), integer(2)})};
     },
     {2, 8, 4}},
    {"FurtherDimensionThanThereIs",
     "aten.transpose.int",
     [](Step& step) {
         return std::vector{each(step), integer(0), integer(5)};
     },
     {2, 8, 4}},
    {"MaskWithSeveralValues",
     "aten.index_put.default",
     [](Step& step) {
         const Value mask = Step::node(step.input("mask", "bool", {2}));
         return std::vector{each(step), list_of(step, {mask}), each(step)};
     },
     {2, 8, 4}},
};

TEST(UnknownArguments, AreRefused) {
    for (const UnknownCase& one : unknown_cases) expect_refused(one);
}

TEST(UnknownArguments, ATensorThatIsMissingIsRefused) {
    for (const std::string_view target : {"aten.amax.default",
                                          "aten.bmm.default",
                                          "aten.cat.default",
                                          "aten.constant_pad_nd.default",
                                          "aten.embedding.default",
                                          "aten.embedding_dense_backward.default",
                                          "aten.gather.default",
                                          "aten.index.Tensor",
                                          "aten.index_put.default",
                                          "aten.index_select.default",
                                          "aten.mse_loss.default",
                                          "aten.nll_loss_backward.default",
                                          "aten.nll_loss_forward.default",
                                          "aten.permute.default",
                                          "aten.roll.default",
                                          "aten.scatter.src",
                                          "aten.select.int",
                                          "aten.select_backward.default",
                                          "aten.slice.Tensor",
                                          "aten.slice_backward.default",
                                          "aten.split.Tensor",
                                          "aten.squeeze.dim",
                                          "aten.t.default",
                                          "aten.unsqueeze.default",
                                          "aten.view.default",
                                          "aten.view_as_real.default",
                                          "operator.getitem",
                                          "_c10d_functional.reduce_scatter_tensor.default"}) {
        Step step;
        step.call("result", target, {integer(0), integer(0), each(step)}, {3, 5});
        EXPECT_EQ(step.refusal(6), unknown(target));
    }
}

TEST(UnknownArguments, SeveralTensorsAreNoSingleOne) {
    Step step;
    const NodeId both =
        step.calls("both", "aten.native_dropout.default", {each(step), integer(0)}, {{2, 8, 4}, {2, 8, 4}});
    step.call("result", "aten.view.default", {Step::node(both), step.list({16, 4})}, {16, 4});
    EXPECT_EQ(step.refusal(6), unknown("aten.view.default"));
}

TEST(UnknownArguments, MasksOfAttentionAreOfTwoToFourDimensions) {
    for (const Sizes& mask_sizes : {Sizes{8}, Sizes{2, 1, 1, 8, 8}}) {
        Step step;
        const Value heads =
            Step::node(step.call("heads", "aten.unsqueeze.default", {each(step), integer(1)}, {2, 1, 8, 4}));
        const Value mask = Step::node(step.input("mask", "bool", mask_sizes));
        const std::string_view target = "aten._scaled_dot_product_flash_attention_for_cpu.default";
        test::call_with(step.builder, "result", target, {heads, heads, heads}, {{"attn_mask", mask}},
                        {step.tensor("float32", {2, 1, 8, 4})});
        EXPECT_EQ(step.refusal(6), unknown(target));
    }
}

}  // namespace
}  // namespace overlap
