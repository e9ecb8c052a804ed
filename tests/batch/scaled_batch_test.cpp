#include "core/batch/scaled_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/batch/token_step.h"

namespace overlap {
namespace {

TEST(LocalBatch, IsTheFirstSizeOfTokens) {
    EXPECT_EQ(local_batch(*Step().finish()), 2);
}

TEST(LocalBatch, PackedSequencesDoNotSayIt) {
    Step step;
    step.input("positions", "int32", {16});
    EXPECT_NE(step.refusal(4).find("node \"positions\": the batch cannot be changed: sequences are packed into one"),
              std::string::npos);
}

TEST(WithLocalBatch, SizesMemoryAndArgumentsGrowAndParametersDoNot) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId weight = step.input("weight", "float32", {4, 6});
    const NodeId product = step.call("product", "aten.mm.default", {Step::node(rows), Step::node(weight)}, {16, 6});
    step.call("back", "aten.view.default", {Step::node(product), step.list({2, 8, 6})}, {2, 8, 6});
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(shape(*graph, "tokens"), (Sizes{6, 8}));
    EXPECT_EQ(shape(*graph, "rows"), (Sizes{48, 4}));
    EXPECT_EQ(integers(*graph, "rows", 1), (Sizes{48, 4}));
    EXPECT_EQ(integers(*graph, "back", 1), (Sizes{6, 8, 6}));
    EXPECT_EQ(shape(*graph, "table"), (Sizes{16, 4}));
    EXPECT_EQ(shape(*graph, "weight"), (Sizes{4, 6}));
    EXPECT_EQ(graph->outputs(graph->find("back"))[0].storage_bytes, 6 * 8 * 6 * 4);
}

TEST(WithLocalBatch, AGradientOfWeightsKeepsItsSize) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId turned = step.call("turned", "aten.t.default", {Step::node(rows)}, {4, 16});
    step.call("gradient", "aten.mm.default", {Step::node(turned), Step::node(rows)}, {4, 4});
    const std::shared_ptr<const Graph> graph = step.with(4);
    EXPECT_EQ(shape(*graph, "turned"), (Sizes{4, 32}));
    EXPECT_EQ(shape(*graph, "gradient"), (Sizes{4, 4}));
}

TEST(WithLocalBatch, PartsAlongTheBatchLieFurtherApart) {
    Step step;
    const Value gathered_args[] = {Step::node(step.embedded), Value::of_integer(4), step.builder.string("0")};
    const TensorMeta whole = step.tensor("float32", {8, 8, 4});
    const NodeId gathered =
        step.builder.call("gathered", "_c10d_functional.all_gather_into_tensor.default", gathered_args, {&whole, 1});
    std::vector<TensorMeta> parts(4, step.tensor("float32", {2, 8, 4}));
    for (std::int64_t part = 0; part < 4; ++part) {
        parts[part].storage = whole.storage;
        parts[part].storage_bytes = whole.storage_bytes;
        parts[part].storage_offset = part * 64;
    }
    const Value split_args[] = {Step::node(gathered), Value::of_integer(2)};
    step.builder.call("split", "aten.split.Tensor", split_args, parts);
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(shape(*graph, "gathered"), (Sizes{24, 8, 4}));
    EXPECT_EQ(shape(*graph, "split", 3), (Sizes{6, 8, 4}));
    EXPECT_EQ(graph->outputs(graph->find("split"))[3].storage_offset, 3 * 192);
    EXPECT_EQ(graph->outputs(graph->find("split"))[3].storage_bytes, 4 * 192 * 4);
    EXPECT_EQ(graph->argument(graph->find("split"), 1)->integer, 6);
}

TEST(WithLocalBatch, SlicesThatMakeUpAllOfATensorGrow) {
    Step step;
    const NodeId gathered =
        step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                  {Step::node(step.embedded), Value::of_integer(2), step.builder.string("0")}, {4, 8, 4});
    const auto slice = [&](std::string_view name, std::int64_t begin) {
        step.call(name, "aten.slice.Tensor",
                  {Step::node(gathered), Value::of_integer(0), Value::of_integer(begin), Value::of_integer(begin + 2)},
                  {2, 8, 4});
    };
    slice("first", 0);
    slice("second", 2);
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(shape(*graph, "second"), (Sizes{6, 8, 4}));
    EXPECT_EQ(graph->argument(graph->find("second"), 2)->integer, 6);
    EXPECT_EQ(graph->argument(graph->find("second"), 3)->integer, 12);
}

TEST(WithLocalBatch, ASliceOfTheBatchIsRefused) {
    Step step;
    step.call("first", "aten.slice.Tensor",
              {Step::node(step.embedded), Value::of_integer(0), Value::of_integer(0), Value::of_integer(1)}, {1, 8, 4});
    EXPECT_NE(step.refusal(6).find("node \"first\""), std::string::npos);
}

TEST(WithLocalBatch, ASliceUpToMoreThanTheBatchIsRefused) {
    Step step;
    step.call("all", "aten.slice.Tensor",
              {Step::node(step.embedded), Value::of_integer(0), Value::of_integer(0), Value::of_integer(4)}, {2, 8, 4});
    EXPECT_NE(step.refusal(6).find("whether its bound is the batch of 2 or a number of the model"), std::string::npos);
}

TEST(WithLocalBatch, WhatLiesOutsideOfTheBatchMovesAway) {
    Step step;
    TensorMeta turned = step.tensor("float32", {8, 2, 4});
    turned.first_dimension = step.builder.dimensions(Sizes{8, 2, 4}, Sizes{4, 32, 1});
    const Value args[] = {Step::node(step.embedded), Value::of_integer(0), Value::of_integer(1)};
    const NodeId node = step.builder.call("turned", "aten.transpose.int", args, {&turned, 1});
    step.call("copied", "aten.clone.default", {Step::node(node)}, {8, 2, 4});
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(strides(*graph, "turned"), (Sizes{4, 32, 1}));
    EXPECT_EQ(strides(*graph, "copied"), (Sizes{24, 4, 1}));
}

TEST(WithLocalBatch, ASizeOfOneOutsideOfTheBatchHasTheStrideOfAllInside) {
    Step step;
    const Value args[] = {Step::node(step.embedded), Value::of_integer(0)};
    const TensorMeta outer = step.tensor("float32", {1, 2, 8, 4});
    step.builder.call("outer", "aten.unsqueeze.default", args, {&outer, 1});
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(strides(*graph, "outer"), (Sizes{192, 32, 4, 1}));
}

TEST(WithLocalBatch, ASizeOfOneInsideOfTheBatchKeepsItsStride) {
    Step step;
    const Value args[] = {Step::node(step.embedded), Value::of_integer(1)};
    TensorMeta inner = step.tensor("float32", {2, 1, 8, 4});
    inner.first_dimension = step.builder.dimensions(Sizes{2, 1, 8, 4}, Sizes{32, 32, 4, 1});
    step.builder.call("inner", "aten.unsqueeze.default", args, {&inner, 1});
    EXPECT_EQ(strides(*step.with(6), "inner"), (Sizes{32, 32, 4, 1}));
}

TEST(WithLocalBatch, TimesOfTheOtherBatchGo) {
    Step step;
    NodeMetadata metadata;
    metadata.estimate_ms = 3;
    const TensorMeta value = step.tensor("float32", {2, 8, 4});
    const Value args[] = {Step::node(step.embedded)};
    step.builder.call("copy", "aten.clone.default", args, {&value, 1}, metadata);
    const std::shared_ptr<const Graph> graph = step.with(4);
    EXPECT_FALSE(graph->metadata(graph->find("copy")).estimate_ms.has_value());
}

TEST(WithLocalBatch, UnknownOperatorsAreRefusedWhereTheBatchIs) {
    Step step;
    step.call("harmless", "aten.some.default", {Step::node(step.table)}, {16, 4});
    step.call("other", "aten.some.default", {Step::node(step.embedded)}, {3});
    EXPECT_EQ(step.refusal(4),
              "node \"other\": the batch cannot be changed: what aten.some.default does with such arguments is not "
              "known");
}

TEST(WithLocalBatch, ASizeThatMayBeSplitInTwoWaysIsRefused) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    step.call("chunks", "aten.view.default", {Step::node(rows), step.list({4, 4, 4})}, {4, 4, 4});
    const std::string refusal = step.refusal(4);
    EXPECT_NE(refusal.find("node \"chunks\""), std::string::npos);
    EXPECT_NE(refusal.find("which of them grows is not known"), std::string::npos);
}

TEST(WithLocalBatch, AGatheredBatchIsNotSplitByAnotherNumber) {
    Step step;
    const NodeId gathered =
        step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                  {Step::node(step.embedded), Value::of_integer(2), step.builder.string("0")}, {4, 8, 4});
    step.call("ranks", "aten.view.default", {Step::node(gathered), step.list({2, 2, 8, 4})}, {2, 2, 8, 4});
    EXPECT_NE(step.refusal(6).find("node \"ranks\": the batch cannot be changed: it splits"), std::string::npos);
}

TEST(WithLocalBatch, AGatheredBatchIsSplitIntoAllItsSequences) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const NodeId gathered = step.call("gathered", "_c10d_functional.all_gather_into_tensor.default",
                                      {Step::node(rows), Value::of_integer(2), step.builder.string("0")}, {32, 4});
    step.call("sequences", "aten.view.default", {Step::node(gathered), step.list({4, 8, 4})}, {4, 8, 4});
    EXPECT_EQ(shape(*step.with(6), "sequences"), (Sizes{12, 8, 4}));
}

TEST(WithLocalBatch, SizesLeftToTorchBesideTheBatchAreRefused) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    step.call("groups", "aten.view.default", {Step::node(rows), step.list({2, -1, 4})}, {2, 8, 4});
    EXPECT_NE(step.refusal(6).find("whether 2 is the batch is not known"), std::string::npos);
}

TEST(WithLocalBatch, PartsOfABatchAreRefused) {
    Step step;
    const NodeId rows =
        step.call("rows", "aten.view.default", {Step::node(step.embedded), step.list({16, 4})}, {16, 4});
    const std::vector<TensorMeta> parts(4, step.tensor("float32", {4, 4}));
    const Value args[] = {Step::node(rows), Value::of_integer(4)};
    step.builder.call("split", "aten.split.Tensor", args, parts);
    EXPECT_NE(step.refusal(6).find("node \"split\": the batch cannot be changed: it takes parts of 4"),
              std::string::npos);
}

TEST(WithLocalBatch, NewElementsBehindTheBatchAreRefused) {
    Step step;
    const NodeId zeros = step.call("zeros", "aten.zeros.default", {step.list({2, 8, 4})}, {2, 8, 4});
    const Value both[] = {Step::node(step.embedded), Step::node(zeros)};
    step.call("longer", "aten.cat.default", {step.builder.list(both)}, {4, 8, 4});
    EXPECT_NE(step.refusal(6).find("node \"longer\": the batch cannot be changed: it puts together"),
              std::string::npos);
}

TEST(WithLocalBatch, NewElementsBesideTheBatchGrowWithIt) {
    Step step;
    const NodeId zeros = step.call("zeros", "aten.zeros.default", {step.list({2, 8, 1})}, {2, 8, 1});
    const Value both[] = {Step::node(step.embedded), Step::node(zeros)};
    step.call("wider", "aten.cat.default", {step.builder.list(both), Value::of_integer(2)}, {2, 8, 5});
    const std::shared_ptr<const Graph> graph = step.with(6);
    EXPECT_EQ(integers(*graph, "zeros", 0), (Sizes{6, 8, 1}));
    EXPECT_EQ(shape(*graph, "wider"), (Sizes{6, 8, 5}));
}

TEST(WithLocalBatch, SizesThatMayBeMadeFromTheBatchAreRefused) {
    Step step;
    const NodeId ones = step.call("ones", "aten.ones.default", {step.list({2, 7})}, {2, 7});
    step.call("count", "aten.sum.default", {Step::node(ones)}, {});
    EXPECT_EQ(step.refusal(6),
              "node \"ones\": the batch cannot be changed: whether its size of 2 is made from the batch is not known");
}

TEST(WithLocalBatch, ALossOverItsTokensIsRefused) {
    Step step;
    const NodeId sum = step.call("sum", "aten.sum.default", {Step::node(step.embedded)}, {});
    step.call("half", "aten.div.Tensor", {Step::node(sum), Value::of_integer(3)}, {});
    step.call("loss", "aten.div.Tensor", {Step::node(sum), Value::of_integer(16)}, {});
    EXPECT_NE(step.refusal(6).find("node \"loss\": the batch cannot be changed: its number of 16 may count"),
              std::string::npos);
}

TEST(WithLocalBatch, AMeanOverWhatStaysExplainsItsNumber) {
    Step step;  // 16 is the number of tokens, too
    const NodeId wide =
        step.call("wide", "aten.embedding.default",
                  {Step::node(step.input("weight", "float32", {32, 16})), Step::node(step.tokens)}, {2, 8, 16});
    const NodeId sums = step.call("sums", "aten.sum.dim_IntList",
                                  {Step::node(wide), step.list({2}), Value::of_boolean(true)}, {2, 8, 1});
    TensorMeta repeated = step.tensor("float32", {2, 8, 16});
    repeated.first_dimension = step.builder.dimensions(Sizes{2, 8, 16}, Sizes{8, 1, 0});
    const Value args[] = {Step::node(sums), step.list({2, 8, 16})};
    const NodeId expanded = step.builder.call("expanded", "aten.expand.default", args, {&repeated, 1});
    const NodeId mean = step.call("mean", "aten.div.Scalar", {Step::node(expanded), Value::of_integer(16)}, {2, 8, 16});
    step.call("product", "aten.mul.Tensor", {Step::node(wide), Step::node(mean)}, {2, 8, 16});
    EXPECT_EQ(shape(*step.with(6), "mean"), (Sizes{6, 8, 16}));
}

TEST(WithLocalBatch, TheBatchIsNotAddedToWhatHasOneSize) {
    Step step;
    const NodeId attribute = [&] {
        NodeRecord record;
        record.name = step.builder.intern("constant");
        record.target = step.builder.target("constant");
        record.op = NodeOp::get_attr;
        record.has_outputs = true;
        const TensorMeta value = step.tensor("float32", {2, 8, 4});
        return step.builder.add(record, {}, {&value, 1});
    }();
    step.call("sum", "aten.add.Tensor", {Step::node(step.embedded), Step::node(attribute)}, {2, 8, 4});
    EXPECT_NE(step.refusal(4).find("node \"sum\": the batch cannot be changed: it brings together"), std::string::npos);
}

TEST(WithLocalBatch, ABatchOfOneIsTracedInItsOwnWay) {
    EXPECT_NE(Step().refusal(1).find("the graph has to be traced again"), std::string::npos);
}

TEST(WithLocalBatch, TheSameBatchIsTheSameGraph) {
    const std::shared_ptr<const Graph> graph = Step().finish();
    EXPECT_EQ(with_local_batch(graph, 2), graph);
}

}  // namespace
}  // namespace overlap
