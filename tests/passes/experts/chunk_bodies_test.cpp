// What stands in the arguments of a module's nodes in each half, and what others read of both.

#include "tests/passes/experts/chunk_fixture.h"

namespace overlap {
namespace {

class ChunkBodiesTest : public test::ChunkTest {
  protected:
    static constexpr std::string_view pass = "ep_overlap_chunk_pass", module = "layers.1.moe";

    /// The same without a size that is halved.
    NodeMetadata whole_in(std::string_view of) {
        NodeMetadata metadata = in(of);
        metadata.extra_json = empty_string;
        return metadata;
    }
    Value symbol(std::string_view text, std::int64_t hint) {
        const Value parts[] = {builder_.string(text), Value::of_integer(hint)};
        return builder_.with_children(ValueKind::symbol, parts);
    }
    NodeId view(NodeId of, Value rows) {
        const Value sizes[] = {rows, Value::of_integer(4)};
        return call("view", "aten.view.default", {Value::of_node(of), builder_.list(sizes)}, {8, 4}, in(module));
    }
    NodeId relu() { return node("relu", "aten.relu.default", {batch("x")}, in(module)); }
    /// An exchange of the last node of the module, read behind it.
    void finish_with(NodeId last) {
        output({node("add", "aten.sigmoid.default", {tokens("exchanged", last)}, in("layers.1"))});
    }
};

TEST_F(ChunkBodiesTest, AModuleThatReadsNothingButStateCannotBeHalved) {
    finish_with(relu());
    Json options = options_;
    options["num_static_inputs"] = 1;
    const std::string reason = refusal(pass, options);
    EXPECT_NE(reason.find("module \"layers.1.moe\": it reads nothing that can be halved"), std::string::npos) << reason;
}

TEST_F(ChunkBodiesTest, NodesThatSayTheSameOfSizesGetTheSameMemory) {
    const NodeId first = relu();
    finish_with(node("second", "aten.relu.default", {first}, in(module)));
    run(pass, options_);
    const Graph& graph = *result_.graph;
    for (const std::string_view name : {"relu_chunk0", "relu_chunk1", "second_chunk0", "second_chunk1"})
        EXPECT_EQ(graph.outputs(graph.find(name)).front().storage_bytes, 4 * 4 * 2) << name;
}

/// Of a tensor that is cut along its last dimension; others read the stride, too.
TEST_F(ChunkBodiesTest, AStrideOfACutTensorIsMeasuredInEachHalf) {
    const NodeId x = batch("x"), halved = node("relu", "aten.relu.default", {x}, in(module));
    NodeMetadata wide = whole_in("layers.1");
    wide.extra_json = builder_.intern(R"({"symbolic_shapes":[[4,"u0"]]})");
    const NodeId columns = call("columns", "aten.t.default", {Value::of_node(x)}, {4, 8}, wide);
    NodeMetadata of_stride = whole_in("layers.1");
    of_stride.extra_json = builder_.intern(R"({"symbolic_value":{"symbol":"u0","hint":8}})");
    const Value measured[] = {Value::of_node(columns), Value::of_integer(0)};
    const NodeId stride = builder_.call("stride", "aten.sym_stride.int", measured, {}, of_stride);
    wide.module_fqn = in(module).module_fqn;
    wide.custom_json = in(module).custom_json;
    const NodeId scaled =
        call("scaled", "aten.mul.Tensor", {Value::of_node(columns), Value::of_node(stride)}, {4, 8}, wide);
    const NodeId joined = node("joined", "aten.mm.default", {halved, scaled}, in(module));
    const NodeId whole = call("whole", "aten.mul.Tensor", {Value::of_node(placeholder("y")), Value::of_node(stride)});
    output({node("add", "aten.sigmoid.default", {tokens("exchanged", joined)}, in("layers.1")), whole});
    run(pass, options_);
    EXPECT_EQ(inputs("whole"), Names({"y", "stride"}));
    const std::string measure = inputs("scaled_chunk1").back();
    EXPECT_EQ(result_.graph->target(result_.graph->find(measure)), "aten.sym_stride.int");
    EXPECT_NE(fields(measure).find(R"json("symbolic_value":{"symbol":"(u0//2)","hint":4})json"), std::string::npos)
        << fields(measure);
}

TEST_F(ChunkBodiesTest, ASizeInTheArgumentsIsTheHalfsOwn) {
    finish_with(view(relu(), symbol("u0", 8)));
    run(pass, options_);
    for (const std::string half : {"0", "1"})
        EXPECT_EQ(inputs("view_chunk" + half), Names({"relu_chunk" + half, "floordiv"}));
    const Value* sizes = result_.graph->argument(result_.graph->find("view_chunk1"), 1);
    ASSERT_NE(sizes, nullptr);
    EXPECT_EQ(result_.graph->children(*sizes)[1].integer, 4);
}

TEST_F(ChunkBodiesTest, AHalvedSizeThatNoNodeComputesIsRefused) {
    finish_with(view(relu(), symbol("2*u0", 8)));
    EXPECT_NE(refusal(pass, options_).find("\"view\": its arguments have the halved size as \"2*u0\""),
              std::string::npos);
}

TEST_F(ChunkBodiesTest, AShapeOfNumbersIsRefusedUnlessItLeavesTheHalvedSizeOpen) {
    finish_with(view(relu(), Value::of_integer(8)));
    EXPECT_NE(refusal(pass, options_).find("\"view\": its shape is written as numbers"), std::string::npos);
    builder_ = {};
    finish_with(view(relu(), Value::of_integer(-1)));
    run(pass, options_);
    EXPECT_EQ(inputs("view_chunk1"), Names({"relu_chunk1"}));
}

TEST_F(ChunkBodiesTest, AShapeOfNumbersStaysWhereNothingOfItIsHalved) {
    const NodeId halved = relu();
    const Value sizes[] = {Value::of_integer(4)};
    const NodeId zeros =
        call("zeros", "aten.new_zeros.default", {Value::of_node(halved), builder_.list(sizes)}, {4}, whole_in(module));
    finish_with(node("sum", "aten.add.Tensor", {halved, zeros}, in(module)));
    run(pass, options_);
    EXPECT_EQ(inputs("sum_chunk1"), Names({"relu_chunk1", "zeros_chunk1"}));
}

/// A count of tokens is no halves': both add to it.
TEST_F(ChunkBodiesTest, WhatBothHalvesWriteTheSecondTakesFromTheFirst) {
    const NodeId count = placeholder("count", {4}), halved = relu();
    const NodeId rows = call("rows", "aten.sum.dim_IntList", {Value::of_node(halved)}, {4}, whole_in(module));
    call("counted", "aten.add_.Tensor", {Value::of_node(count), Value::of_node(rows)}, {4}, whole_in(module));
    finish_with(halved);
    run(pass, options_);
    EXPECT_EQ(inputs("counted_chunk0"), Names({"count", "rows_chunk0"}));
    EXPECT_EQ(inputs("counted_chunk1"), Names({"counted_chunk0", "rows_chunk1"}));
}

TEST_F(ChunkBodiesTest, WhatAHalfWritesOfItsOwnIsItsOwn) {
    const NodeId halved = relu();
    const NodeId rows = call("rows", "aten.sum.dim_IntList", {Value::of_node(halved)}, {4}, whole_in(module));
    call("counted", "aten.add_.Tensor", {Value::of_node(rows), Value::of_node(rows)}, {4}, whole_in(module));
    finish_with(halved);
    run(pass, options_);
    EXPECT_EQ(inputs("counted_chunk1"), Names({"rows_chunk1"}));
}

TEST_F(ChunkBodiesTest, WhatIsOnlyReadBesideAWrittenValueStays) {
    const NodeId count = placeholder("count", {4}), weight = placeholder("weight", {4}), halved = relu();
    const NodeId rows = call("rows", "aten.sum.dim_IntList", {Value::of_node(halved)}, {4}, whole_in(module));
    call("counted", "aten.addcmul_.default", {Value::of_node(count), Value::of_node(rows), Value::of_node(weight)}, {4},
         whole_in(module));
    finish_with(halved);
    run(pass, options_);
    EXPECT_EQ(inputs("counted_chunk1"), Names({"counted_chunk0", "rows_chunk1", "weight"}));
}

/// torchtitan would run the view once, behind the joined gradient.
TEST_F(ChunkBodiesTest, AGradientBehindAViewThatOnlyPassesItOnIsRefusedUnlessItIsToBeJoinedBehindIt) {
    const auto build = [&] {
        builder_ = {};
        const NodeId halved = relu();
        const NodeId loss = node("loss", "aten.sigmoid.default", {tokens("exchanged", halved)}, in("layers.1"));
        NodeMetadata backward = in(module);
        backward.autograd_backward = true;
        const NodeId gradient = node("gradient", "aten.neg.default", {halved}, backward);
        const Value sizes[] = {Value::of_integer(-1), Value::of_integer(4)};
        const NodeId seen =
            call("seen", "aten.view.default", {Value::of_node(gradient), builder_.list(sizes)}, {8, 4}, backward);
        output({node("behind", "aten.neg.default", {seen}, in("layers.0")), loss});
    };
    build();
    EXPECT_NE(refusal(pass, options_).find("\"seen\": torchtitan joins the gradient before this node"),
              std::string::npos);
    build();
    Json options = options_;
    options["optimize_grad_live_out"] = false;
    run(pass, options);
    EXPECT_EQ(inputs("behind"), Names({"seen_chunk0_chunk_materialized"}));
}

TEST_F(ChunkBodiesTest, SeveralValuesThatBothHalvesWriteAreRefused) {
    const NodeId mean = placeholder("mean", {4}), variance = placeholder("variance", {4}), halved = relu();
    call("norm", "aten._native_batch_norm_legit.default",
         {Value::of_node(halved), Value(), Value(), Value::of_node(mean), Value::of_node(variance)}, {4},
         whole_in(module));
    finish_with(halved);
    EXPECT_NE(refusal(pass, options_).find("\"norm\": it writes several values"), std::string::npos);
}

TEST_F(ChunkBodiesTest, AValueOfTheForwardPassIsNoSumOfItsHalves) {
    const NodeId halved = relu();
    const NodeId rows = call("rows", "aten.sum.dim_IntList", {Value::of_node(halved)}, {4}, whole_in(module));
    output({node("add", "aten.sigmoid.default", {tokens("exchanged", halved)}, in("layers.1")), rows});
    const std::string reason = refusal(pass, options_);
    EXPECT_NE(reason.find("\"rows\": \"output\" outside \"layers.1.moe\" reads all of it"), std::string::npos)
        << reason;
}

TEST_F(ChunkBodiesTest, AGradientThatIsReturnedIsTheSumOfItsHalves) {
    const NodeId halved = relu();
    const NodeId loss = node("loss", "aten.sigmoid.default", {tokens("exchanged", halved)}, in("layers.1"));
    NodeMetadata backward = whole_in(module);
    backward.autograd_backward = true;
    const NodeId rows = call("rows", "aten.sum.dim_IntList", {Value::of_node(halved)}, {4}, backward);
    output({loss, rows});
    run(pass, options_);
    const NodeId sum = result_.graph->find("rows_chunk0_chunk_materialized");
    ASSERT_NE(sum, no_node);
    EXPECT_EQ(result_.graph->target(sum), "aten.add.Tensor");
    EXPECT_EQ(inputs("rows_chunk0_chunk_materialized"), Names({"rows_chunk0", "rows_chunk1"}));
    EXPECT_EQ(inputs("rows_chunk1"), Names({"relu_chunk1"}));
}

}  // namespace
}  // namespace overlap
