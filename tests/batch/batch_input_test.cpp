#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "tests/batch/token_step.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

TEST(BatchOfInputs, AGraphWithoutTokensHasNone) {
    GraphBuilder builder;
    const TensorMeta image = builder.contiguous_tensor(*dtype_by_name("float32"), Sizes{2, 3, 8, 8});
    builder.placeholder("image", {&image, 1});
    const Graph graph = builder.finish({});
    EXPECT_EQ(test::problem_of([&] { local_batch(graph); }),
              "the batch of the graph is not known: it has no input of tokens or labels");
}

TEST(BatchOfInputs, TokensAndLabelsAgree) {
    Step step;
    step.input("labels", "int64", {3, 8});
    EXPECT_EQ(step.refusal(6),
              "node \"labels\": the batch cannot be changed: its first size is 3, that of another "
              "input 2");
}

TEST(BatchOfInputs, NumbersThatAreNoTensorsSayNothing) {
    Step step;
    TensorMeta step_number;
    step_number.is_tensor = false;
    step.builder.placeholder("step_number", {&step_number, 1});
    step.input("seed", "int64", {});
    EXPECT_EQ(local_batch(*step.finish()), 2);
}

TEST(BatchOfInputs, ABatchHasAtLeastOneSequence) {
    EXPECT_EQ(Step().refusal(0), "a batch has at least one sequence");
    EXPECT_EQ(Step().refusal(-2), "a batch has at least one sequence");
}

TEST(BatchOfInputs, SizesOfTheRunAreRefused) {
    Step step;
    NodeMetadata metadata;
    metadata.extra_json = step.builder.intern(R"({"symbolic_shapes":[["s0",8,4]]})");
    const TensorMeta value = step.tensor("float32", {2, 8, 4});
    const Value args[] = {Step::node(step.embedded)};
    step.builder.call("copy", "aten.clone.default", args, {&value, 1}, metadata);
    EXPECT_EQ(step.refusal(6),
              "node \"copy\": the batch cannot be changed: it has sizes that are known only when the job runs");
}

/// The refusal of a view of the sequences as they are, with `sizes` as its argument.
std::string refusal_of_sizes(const std::function<Value(Step&)>& sizes) {
    Step step;
    const Value argument = sizes(step);
    step.call("again", "aten.view.default", {Step::node(step.embedded), argument}, {2, 8, 4});
    return step.refusal(6);
}

TEST(BatchOfInputs, SizesAmongArgumentsAreThoseOfTheResult) {
    const std::string node = "node \"again\": the batch cannot be changed: ";
    EXPECT_EQ(refusal_of_sizes([](Step& step) {
                  return step.list({3, 8, 4});
              }),
              node + "an argument of 3 does not hold the batch");
    EXPECT_EQ(refusal_of_sizes([](Step& step) {
                  return step.list({2, 32});
              }),
              node + "its sizes do not fit to its arguments");
    EXPECT_EQ(refusal_of_sizes([](Step&) { return Value::of_integer(2); }),
              node + "its sizes do not fit to its arguments");
    EXPECT_EQ(refusal_of_sizes([](Step& step) {
                  const Value sizes[] = {Step::node(step.tokens), Value::of_integer(8), Value::of_integer(4)};
                  return step.builder.list(sizes);
              }),
              node + "a size is computed when the job runs");
    EXPECT_EQ(refusal_of_sizes([](Step& step) { return step.list({-1, 8, 4}); }), "");
}

TEST(BatchOfInputs, ABatchBeyondAllMemoryIsRefused) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    step.call("copy", "aten.clone.default", {Step::node(rows)}, {16, 4});
    EXPECT_NE(step.refusal(std::int64_t{1} << 62).find("how its tensor would lie in memory is not known"),
              std::string::npos);
}

/// The refusal of a copy of the sequences that lies in memory as `strides` and `offset` say.
std::string refusal_of_layout(const Sizes& strides, std::int64_t offset = 0) {
    Step step;
    TensorMeta value = step.tensor("float32", {2, 8, 4});
    value.first_dimension = step.builder.dimensions(Sizes{2, 8, 4}, strides);
    value.storage_offset = offset;
    const Value args[] = {Step::node(step.embedded)};
    step.builder.call("copy", "aten.clone.default", args, {&value, 1});
    return step.refusal(6);
}

TEST(BatchOfInputs, TensorsInWhichTheBatchOverlapsOthersAreRefused) {
    const std::string wanted =
        "node \"copy\": the batch cannot be changed: how its tensor would lie in memory is not "
        "known";
    EXPECT_EQ(refusal_of_layout({32, 4, 1}), "");
    EXPECT_EQ(refusal_of_layout({4, 8, 1}), "");
    EXPECT_EQ(refusal_of_layout({32, 4, 1}, 3), "");   // inside of the batch
    EXPECT_EQ(refusal_of_layout({32, 4, 1}, 64), "");  // behind another whole batch
    EXPECT_EQ(refusal_of_layout({4, 5, 1}), wanted);   // a row begins before the last sequence ends
    EXPECT_EQ(refusal_of_layout({4, 9, 1}), wanted);   // a row is no whole number of sequences long
    EXPECT_EQ(refusal_of_layout({32, 4, 1}, 32), wanted);
}

TEST(BatchOfInputs, TensorsOfTwoBatchesAreRefused) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId turned = step.call("turned", "aten.t.default", {Step::node(rows)}, {4, 16});
    step.call("all", "aten.mm.default", {Step::node(rows), Step::node(turned)}, {16, 16});
    EXPECT_EQ(step.refusal(6),
              "node \"all\": the batch cannot be changed: how its tensor would lie in memory is not known");
}

TEST(BatchOfInputs, SizesOfDifferentBatchesDoNotMeet) {
    Step step;
    const NodeId elements =
        step.call("elements", "aten.view.default", {Step::node(step.embedded), step.list({64})}, {64});
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId gathered = step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                                      {Step::node(rows), Value::of_integer(4), step.builder.string("0")}, {64, 4});
    const NodeId sums = step.call("sums", "aten.sum.dim_IntList", {Step::node(gathered), step.list({1})}, {64});
    step.call("met", "aten.add.Tensor", {Step::node(elements), Step::node(sums)}, {64});
    EXPECT_EQ(step.refusal(6),
              "node \"met\": the batch cannot be changed: it brings together sizes of 64 that hold "
              "different numbers of batches");
}

}  // namespace
}  // namespace overlap
