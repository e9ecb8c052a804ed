#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

class MicroPipelineTpTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "micro_pipeline_tp_pass";

    NodeId product(std::string_view name, NodeId left, NodeId right, std::vector<std::int64_t> shape) {
        return call(name, "aten.mm.default", {left, right}, std::move(shape));
    }
    /// A value summed over the group, a piece of it for each rank.
    NodeId scattered(NodeId input, std::vector<std::int64_t> piece = {8, 4}) {
        const NodeId start =
            call("scatter", "_c10d_functional.reduce_scatter_tensor.default",
                 {Value::of_node(input), builder_.string("sum"), Value::of_integer(8), builder_.string("0")}, piece);
        return call("scattered", "_c10d_functional.wait_tensor.default", {start}, piece);
    }
    NodeId gathered(std::string_view name, std::vector<std::int64_t> whole) {
        std::vector<std::int64_t> piece = whole;
        piece[0] /= 8;
        return gather(name, placeholder(std::string(name) + "_in", piece), whole);
    }
    NodeId gather(std::string_view name, NodeId piece, std::vector<std::int64_t> whole) {
        const NodeId start = call(std::string(name) + "_start", "_c10d_functional.all_gather_into_tensor.default",
                                  {Value::of_node(piece), Value::of_integer(8), builder_.string("0")}, whole);
        return call(name, "_c10d_functional.wait_tensor.default", {start}, whole);
    }
};

TEST_F(MicroPipelineTpTest, AGatherIsFusedWithTheProductsThatReadIt) {
    const NodeId left = placeholder("b", {16, 4}), right = placeholder("c", {16, 8});
    const NodeId whole = gathered("a", {64, 16});
    const NodeId first = product("first", whole, left, {64, 4});
    const NodeId second = product("second", whole, right, {64, 8});
    output({first, second});
    run(pass);
    EXPECT_EQ(names(), Names({"b", "c", "a_in", "inductor_force_stride_order_default",
                              "fused_all_gather_matmul_default", "getitem_1", "getitem_2", "getitem_3", "output"}));
}

/// As a gather along another dimension is written: the rows of each rank, joined.
TEST_F(MicroPipelineTpTest, PiecesOfOneGatherAreFusedAndThoseOfSeveralAreNot) {
    for (const bool of_several : {false, true}) {
        builder_ = {};
        const NodeId right = placeholder("c", {4, 4});
        const NodeId one = gathered("a", {64, 4}), other = of_several ? gathered("b", {64, 4}) : one;
        std::vector<Value> pieces;
        for (std::int64_t rank = 0; rank < 8; ++rank) {
            pieces.push_back(Value::of_node(call("piece_" + std::to_string(rank), "aten.slice.Tensor",
                                                 {Value::of_node(rank == 7 ? other : one), Value::of_integer(0),
                                                  Value::of_integer(8 * rank), Value::of_integer(8 * rank + 8)},
                                                 {8, 4})));
        }
        const NodeId whole = call("whole", "aten.cat.default", {builder_.list(pieces), Value::of_integer(0)}, {64, 4});
        output({product("product", whole, right, {64, 4})});
        run(pass);
        EXPECT_EQ(is_input(), of_several);
    }
}

TEST_F(MicroPipelineTpTest, AProductThatReadsItOnTheRightIsNot) {
    const NodeId whole = gathered("a", {64, 16});
    output({product("product", placeholder("b", {4, 64}), whole, {4, 16})});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(MicroPipelineTpTest, AProductIsFusedWithTheReduceScatterBehindIt) {
    const NodeId left = placeholder("a", {64, 16}), right = placeholder("b", {16, 4});
    output({scattered(product("product", left, right, {64, 4}))});
    run(pass);
    EXPECT_EQ(names(), Names({"a", "b", "inductor_force_stride_order_default", "fused_matmul_reduce_scatter_default",
                              "output"}));
    EXPECT_TRUE(result_.graph->outputs(3).empty());
}

TEST_F(MicroPipelineTpTest, AFactorThatIsNoTensorIsRefused) {
    const std::vector<Value> no_right[] = {{Value::of_node(no_node), Value::of_integer(3)}, {Value::of_node(no_node)}};
    for (std::vector<Value> factors : no_right) {
        builder_ = {};
        factors[0] = Value::of_node(gathered("a", {64, 16}));
        output({call("product", "aten.mm.default", factors, {64, 4})});
        const std::string reason = refusal(pass);
        EXPECT_NE(reason.find("node \"product\": an argument that has to be a tensor"), reason.npos) << reason;
    }
    for (const bool is_left : {false, true}) {
        builder_ = {};
        const Value given = Value::of_node(placeholder("a", {64, 16})), number = Value::of_integer(3);
        output({scattered(
            call("product", "aten.mm.default", {is_left ? number : given, is_left ? given : number}, {64, 16}))});
        EXPECT_NE(refusal(pass).find("argument that has to be a tensor"), std::string::npos);
    }
    for (const bool is_gathered : {false, true}) {
        builder_ = {};
        const NodeId whole = is_gathered ? gathered("a", {64, 2, 16}) : placeholder("a", {64, 2, 16});
        const Value flat[] = {Value::of_integer(128), Value::of_integer(-1)};
        const NodeId first =
            call("first", "aten.reshape.default", {Value::of_node(whole), builder_.list(flat)}, {128, 16});
        const NodeId product =
            call("product", "aten.mm.default", {Value::of_node(first), Value::of_integer(3)}, {128, 4});
        const NodeId second =
            call("second", "aten.reshape.default", {Value::of_node(product), builder_.list(flat)}, {64, 2, 4});
        output({is_gathered ? second : scattered(second)});
        EXPECT_NE(refusal(pass).find("argument that has to be a tensor"), std::string::npos);
    }
}

TEST_F(MicroPipelineTpTest, AShardWithoutDimensionsIsRefusedAlongItsLastOne) {
    const NodeId start = call("start", "_c10d_functional.all_gather_into_tensor.default",
                              {Value::of_node(placeholder("a", {})), Value::of_integer(8), builder_.string("0")});
    const NodeId whole = call("whole", "_c10d_functional.wait_tensor.default", {start});
    const Value slice =
        Value::of_node(call("slice", "aten.slice.Tensor", {Value::of_node(whole), Value::of_integer(0)}));
    const NodeId cat = call("cat", "aten.cat.default", {builder_.list({&slice, 1}), Value::of_integer(-1)}, {8, 16});
    output({product("product", cat, placeholder("b", {16, 4}), {8, 4})});
    EXPECT_NE(refusal(pass).find("no dimensions to gather along"), std::string::npos);
}

// Places of the graph that one fusion erases and another match mentions. What PyTorch makes of the first two was
// compared node for node.
TEST_F(MicroPipelineTpTest, AProductThatIsGatheredAgainIsFusedWhereNoProductIsBehind) {
    const NodeId right = placeholder("b", {16, 4});
    const NodeId again = gather("again", product("product", gathered("a", {64, 16}), right, {64, 4}), {512, 4});
    output({call("last", "aten.neg.default", {again}, {512, 4})});
    run(pass);
    EXPECT_EQ(names(), Names({"b", "a_in", "inductor_force_stride_order_default", "fused_all_gather_matmul_default",
                              "getitem_1", "getitem_2", "again_start", "again", "last", "output"}));
    EXPECT_EQ(inputs("again_start"), Names({"getitem_2"}));
}

TEST_F(MicroPipelineTpTest, AGatherThatIsMultipliedAndReducedIsFusedWithTheProduct) {
    const NodeId right = placeholder("b", {16, 4}), whole = gathered("a", {64, 16});
    const NodeId multiplied = product("product", whole, right, {64, 4});
    output({multiplied, scattered(whole, {8, 16})});
    run(pass);
    EXPECT_EQ(inputs("scatter"), Names({"getitem"}));
    EXPECT_EQ(inputs("output"), Names({"getitem_2", "scattered"}));
}

TEST_F(MicroPipelineTpTest, AProductOfTwoFusionsIsRefused) {
    const NodeId right = placeholder("b", {16, 4});
    output({scattered(product("both", gathered("a", {64, 16}), right, {64, 4}))});
    EXPECT_NE(refusal(pass).find("\"both\": it is part of two fusions"), std::string::npos);

    builder_ = {};
    const NodeId of_first = placeholder("b", {16, 4}), of_second = placeholder("c", {4, 4});
    const NodeId first = product("first", gathered("a", {64, 16}), of_first, {64, 4});
    output({product("second", gather("again", first, {512, 4}), of_second, {512, 4})});
    EXPECT_NE(refusal(pass).find("\"first\": it is part of two fusions"), std::string::npos);
}

TEST_F(MicroPipelineTpTest, AKeywordWithItsDefaultBelongsToTheFormAndNoOtherDoes) {
    for (const std::int64_t dimension : {0, 1}) {
        builder_ = {};
        const NodeId left = placeholder("a", {4, 16, 16}), right = placeholder("b", {16, 4});
        const Value sizes[] = {Value::of_integer(64), Value::of_integer(16)};
        const NodeId flat =
            call("flat", "aten.reshape.default", {Value::of_node(left), builder_.list(sizes)}, {64, 16});
        const NodeId multiplied = product("product", flat, right, {64, 4});
        const NodeId input =
            call("input", "aten.reshape.default", {Value::of_node(multiplied), builder_.list(sizes)}, {4, 16, 4});
        const NodeId split = call("split", "aten.split.Tensor",
                                  {Value::of_node(input), Value::of_integer(8), Value::of_integer(1)}, {4, 8, 4});
        const Value piece =
            Value::of_node(call("piece", "operator.getitem", {Value::of_node(split), Value::of_integer(0)}, {4, 8, 4}));
        const NodeId cat = test::call_with(builder_, "cat", "aten.cat.default", {builder_.list({&piece, 1})},
                                           {{"dim", Value::of_integer(dimension)}}, {tensor({8, 8, 4})});
        output({scattered(cat, {1, 8, 4})});
        run(pass);
        EXPECT_EQ(is_input(), dimension == 1);
    }
}

TEST_F(MicroPipelineTpTest, AScaledProductIsRefused) {
    const NodeId whole = gathered("a", {64, 16});
    output({call("product", "aten._scaled_mm.default", {whole, placeholder("b", {16, 4})}, {64, 4})});
    EXPECT_NE(refusal(pass).find("scaled"), std::string::npos);
}

/// What differs from a gather, or a scatter, with a product of its own.
class AlteredTensorParallelTest : public MicroPipelineTpTest {
  protected:
    using Change = std::vector<test::Difference>;

    Graph gather_and_product() {
        builder_ = {};
        const NodeId right = placeholder("b", {16, 4}), whole = gathered("a", {64, 16});
        output({product("product", whole, right, {64, 4})});
        return builder_.finish(header_);
    }
    /// Of rows in three dimensions.
    Graph flat_product_and_scatter() {
        builder_ = {};
        const NodeId rows = placeholder("a", {64, 2, 16}), right = placeholder("b", {16, 4});
        const Value flat[] = {Value::of_integer(128), Value::of_integer(16)};
        const Value back[] = {Value::of_integer(64), Value::of_integer(2), Value::of_integer(4)};
        const NodeId first =
            call("first", "aten.reshape.default", {Value::of_node(rows), builder_.list(flat)}, {128, 16});
        const NodeId between = product("product", first, right, {128, 4});
        const NodeId second =
            call("second", "aten.reshape.default", {Value::of_node(between), builder_.list(back)}, {64, 2, 4});
        output({scattered(second, {8, 2, 4})});
        return builder_.finish(header_);
    }
    /// `fused`, `as it was`, or why the graph is refused.
    std::string outcome(const std::shared_ptr<const Graph>& graph) {
        try {
            return require_pass(pass).run(graph, {}, {}).graph == graph ? "as it was" : "fused";
        } catch (const PassRefusal& refused) {
            return refused.what();
        }
    }
    std::string outcome(const Graph& graph, const Change& change) { return outcome(test::altered(graph, change)); }
    static constexpr const char* scaled = R"("aten._scaled_mm.default")";
};

TEST_F(AlteredTensorParallelTest, WhatIsGatheredNeedsOneTensorOfSizesThatAreNumbers) {
    EXPECT_EQ(outcome(gather_and_product(), {}), "fused");
    for (const Change& change : std::vector<Change>{
             {{"a_in", "/outputs", ""}}, {{"a_in", "/outputs", "[null]"}}, {{"a_in", "/multi", "true"}}}) {
        const std::string found = outcome(gather_and_product(), change);
        EXPECT_NE(found.find("its sizes are needed and not given"), found.npos) << change.front() << found;
    }
    const std::string symbolic = outcome(gather_and_product(), {{"a_in", "/symbolic_shapes", R"([["u0", 16]])"}});
    EXPECT_NE(symbolic.find("known only when the job runs"), symbolic.npos) << symbolic;
}

TEST_F(AlteredTensorParallelTest, ScaledProductsAreRefusedWhereverTheyWouldBeFused) {
    const auto is_refused = [&](const Graph& graph, const Change& change) {
        return outcome(graph, change).find("scaled matrix products") != std::string::npos;
    };
    EXPECT_TRUE(is_refused(gather_and_product(), {{"product", "/target", scaled}}));
    EXPECT_TRUE(is_refused(flat_product_and_scatter(), {{"product", "/target", scaled}}));
    EXPECT_TRUE(is_refused(flat_product_and_scatter(), {{"second", "/target", scaled}}));
}

TEST_F(AlteredTensorParallelTest, AScatterIsFusedWithAProductThatIsItsAlone) {
    EXPECT_EQ(outcome(flat_product_and_scatter(), {}), "fused");
    EXPECT_EQ(outcome(flat_product_and_scatter(), {{"first", "/target", R"("aten.relu.default")"}}), "as it was");
    EXPECT_EQ(outcome(flat_product_and_scatter(), {{"product", "/target", R"("aten.relu.default")"}}), "as it was");
    EXPECT_EQ(outcome(flat_product_and_scatter(), {{"second", "/target", R"("aten.relu.default")"}}), "as it was");
    EXPECT_EQ(
        outcome(test::with_call(flat_product_and_scatter(), {"other", "aten.neg.default", R"(["%second"])"}, "output")),
        "as it was");
    for (const Change& change : std::vector<Change>{{{"second", "/args", "[]"}},
                                                    {{"second", "/args/0", "1"}},
                                                    {{"product", "/args/0", "1"}},
                                                    {{"product", "/args", R"(["%first"])"}}}) {
        const std::string found = outcome(flat_product_and_scatter(), change);
        EXPECT_NE(found.find("an argument that has to be a tensor is none"), found.npos) << change.front() << found;
    }
}

}  // namespace
}  // namespace overlap
