#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/batch/unknown_case.h"

namespace overlap {
namespace {

const UnknownCase unknown_parts[] = {
    {"PutTogetherAlongNoDimension",
     "aten.cat.default",
     [](Step& step) {
         return std::vector{list_of(step, {each(step), each(step)}), integer(3)};
     },
     {4, 8, 4}},
    {"NothingPutTogether",
     "aten.cat.default",
     [](Step& step) {
         return std::vector{step.list({}), integer(0), each(step)};
     },
     {4, 8, 4}},
    {"NumbersPutTogether",
     "aten.cat.default",
     [](Step& step) {
         return std::vector{list_of(step, {each(step), integer(1)})};
     },
     {4, 8, 4}},
    {"OtherRanksPutTogether",
     "aten.cat.default",
     [](Step& step) {
         return std::vector{list_of(step, {each(step), Step::node(step.tokens)})};
     },
     {4, 8, 4}},
    {"StackAlongNoDimension",
     "aten.stack.default",
     [](Step& step) {
         return std::vector{list_of(step, {each(step)}), integer(4)};
     },
     {1, 2, 8, 4}},
    {"StackOfNumbers",
     "aten.stack.default",
     [](Step& step) {
         return std::vector{list_of(step, {each(step), integer(1)})};
     },
     {2, 2, 8, 4}},
    {"StackOfOtherRanks",
     "aten.stack.default",
     [](Step& step) { return std::vector{list_of(step, {Step::node(step.tokens)})}; },
     {2, 2, 8, 4}},
    {"PartsAlongNoDimension",
     "aten.split.Tensor",
     [](Step& step) {
         return std::vector{each(step), integer(2), integer(3)};
     },
     {2, 8, 4}},
    {"PartsOfAnotherRank",
     "aten.split.Tensor",
     [](Step& step) {
         return std::vector{each(step), integer(2), integer(1)};
     },
     {2, 8}},
    {"SliceOfAnotherRank",
     "aten.slice.Tensor",
     [](Step& step) {
         return std::vector{each(step), integer(1), integer(0), integer(4)};
     },
     {2, 4}},
    {"SliceOfNoDimension",
     "aten.slice.Tensor",
     [](Step& step) {
         return std::vector{each(step), integer(3), integer(0), integer(4)};
     },
     {2, 8, 4}},
    {"GradientOfASliceOfAnotherRank",
     "aten.slice_backward.default",
     [](Step& step) {
         return std::vector{each(step), step.list({2, 8}), integer(1)};
     },
     {2, 8}},
    {"GradientOfASelectionOfAnotherRank",
     "aten.select_backward.default",
     [](Step& step) {
         return std::vector{each(step), step.list({2, 8, 4}), integer(1)};
     },
     {2, 8, 4}},
    {"RolledAsOneRow",
     "aten.roll.default",
     [](Step& step) {
         return std::vector{each(step), step.list({1})};
     },
     {2, 8, 4}},
    {"RolledAlongAComputedDimension",
     "aten.roll.default",
     [](Step& step) {
         return std::vector{each(step), step.list({1}), list_of(step, {each(step)})};
     },
     {2, 8, 4}},
    {"PaddedToAnotherRank",
     "aten.constant_pad_nd.default",
     [](Step& step) {
         return std::vector{each(step), step.list({1, 0})};
     },
     {2, 9}},
    {"GatheredToAnotherRank",
     "_c10d_functional.all_gather_into_tensor.default",
     [](Step& step) {
         return std::vector{each(step), integer(2), step.builder.string("0")};
     },
     {4, 8}},
};

TEST(UnknownParts, AreRefused) {
    for (const UnknownCase& one : unknown_parts) expect_refused(one);
}

/// The refusal of what cuts the sequences of two ranks: it takes parts of which nothing says what they become.
std::string refusal_of_parts(const std::function<void(Step&, Value)>& cut) {
    Step step;
    const NodeId gathered = step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                                      {each(step), integer(2), step.builder.string("0")}, {4, 8, 4});
    cut(step, Step::node(gathered));
    return step.refusal(6);
}

void slice(Step& step, std::string_view name, Value whole, std::int64_t begin, std::int64_t end,
           std::int64_t stride = 1) {
    step.call(name, "aten.slice.Tensor", {whole, integer(0), integer(begin), integer(end), integer(stride)},
              {(end - begin) / stride, 8, 4});
}

TEST(UnknownParts, SlicesThatAreNotAllOfOneSizeAreRefused) {
    const std::string wanted =
        "node \"first\": the batch cannot be changed: it brings together what grows with the batch and what does not";
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) { slice(step, "first", whole, 0, 2); }), wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) { slice(step, "first", whole, 0, 3); }), wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) { slice(step, "first", whole, 0, 0); }), wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) { slice(step, "first", whole, 0, 4, 2); }), wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) {
                  slice(step, "first", whole, 0, 2);
                  slice(step, "second", whole, 2, 3);
              }),
              wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) {
                  slice(step, "first", whole, 0, 2);
                  slice(step, "second", whole, 1, 3);
              }),
              wanted);
    EXPECT_EQ(refusal_of_parts([](Step& step, Value whole) {
                  slice(step, "first", whole, 0, 2);
                  slice(step, "second", whole, 2, 4);
                  step.call("other", "aten.clone.default", {whole}, {4, 8, 4});
                  step.call("along", "aten.slice.Tensor", {whole, integer(1), integer(0), integer(4)}, {4, 4, 4});
              }),
              "");
}

}  // namespace
}  // namespace overlap
