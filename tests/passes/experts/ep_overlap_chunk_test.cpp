#include <algorithm>
#include <utility>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/chunk_metadata.h"
#include "tests/passes/experts/chunk_fixture.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

class EpOverlapChunkTest : public test::ChunkTest {};

constexpr std::string_view chunk = "ep_overlap_chunk_pass", populate = "populate_chunk_dim_metadata_pass",
                           concretize = "concretize_ep_chunk_symbolic_shapes_pass";

TEST_F(EpOverlapChunkTest, AModuleIsComputedForEachHalfAndJoined) {
    step();
    run(chunk, options_);
    EXPECT_EQ(names(),
              Names({"x", "sym_size_int", "floordiv", "split_with_sizes_default", "getitem", "getitem_1", "relu_chunk0",
                     "relu_chunk1", "all_to_all_single_chunk0", "all_to_all_single_chunk1", "wait_tensor_chunk0",
                     "wait_tensor_chunk1", "wait_tensor_chunk0_chunk_materialized", "add", "output"}));
    EXPECT_EQ(inputs("relu_chunk1"), Names({"getitem_1"}));
    EXPECT_EQ(inputs("add"), Names({"wait_tensor_chunk0_chunk_materialized"}));
    EXPECT_EQ(problem_kinds(), Names({"chunked_modules"}));
    const Graph& graph = *result_.graph;
    const auto rows = [&](std::string_view name) {
        return graph.shape(graph.outputs(graph.find(name)).front()).front();
    };
    EXPECT_EQ(rows("relu_chunk1"), 4);
    EXPECT_EQ(rows("wait_tensor_chunk0_chunk_materialized"), 8);
    EXPECT_EQ(fields("relu_chunk1"),
              R"json({"symbolic_shapes":[["(u0//2)",4]],"titan_meta":{"chunked_region_fqn":"layers.1.moe",)json"
              R"json("chunked_region_is_backward":false,"chunked_region_producer":"graph",)json"
              R"json("chunked_region_role":"body","chunk_id":1,"chunked_original_name":"relu"}})json");
    EXPECT_EQ(fields("floordiv"),
              R"json({"symbolic_value":{"symbol":"(u0//2)","hint":4},"titan_meta":{"chunked_region_fqn":)json"
              R"json("layers.1.moe","chunked_region_is_backward":false,"chunked_region_producer":"graph",)json"
              R"json("chunked_region_role":"chunk_input"}})json");
}

/// A backward node without a module, whose neighbours have none either, is part of the regions of two modules.
TEST_F(EpOverlapChunkTest, ANodeOfTwoRegionsIsJoinedToWhatItWasBeforeTheSecond) {
    const auto backward = [&](NodeMetadata metadata) {
        metadata.autograd_backward = true;
        metadata.extra_json = builder_.intern(R"({"symbolic_shapes":[["u0",4]]})");
        return metadata;
    };
    NodeId last = batch("x");
    for (const char* const number : {"1", "2"}) {
        const std::string module = std::string("layers.") + number + ".moe";
        last = tokens(std::string("exchanged") + number,
                      node(std::string("relu") + number, "aten.relu.default", {last}, in(module)), 8, module);
    }
    last = node("loss", "aten.sigmoid.default", {last}, in("layers.3"));
    last = node("of_2", "aten.relu.default", {last}, backward(in("layers.2.moe")));
    for (const std::string_view name : {"behind_2", "between", "ahead_of_1"})
        last = node(name, "aten.neg.default", {last}, backward({}));
    output({node("of_1", "aten.relu.default", {last}, backward(in("layers.1.moe")))});
    run(chunk, options_);
    const Graph& graph = *result_.graph;
    const NodeId joined = graph.find("between_chunk0_chunk0_chunk_materialized");
    ASSERT_NE(joined, no_node);
    EXPECT_EQ(graph.shape(graph.outputs(joined).front()).front(), 4);
    EXPECT_TRUE(fields("between_chunk0_chunk0_chunk_materialized")
                    .starts_with(R"json({"symbolic_shapes":[["(u0//2)",4]])json"));
}

/// What a pass leaves to the next one in pieces is the same as what that one would read from a file.
TEST_F(EpOverlapChunkTest, FieldsInPiecesAreReadLikeWholeOnes) {
    step();
    run(populate, {{"mode", "batch"}});
    const Options options = read_options(require_pass(chunk), options_);
    const auto in_pieces = require_pass(chunk).run(result_.graph, options, {}).graph;
    const auto strings = std::make_shared<StringPool>(in_pieces->strings());
    std::vector<StringId> whole;
    std::size_t composed = 0;
    for (const StringId fields : in_pieces->extra_json()) {
        composed += strings->pieces(fields) ? 1 : 0;
        whole.push_back(strings->intern(in_pieces->text(fields)));
    }
    EXPECT_EQ(composed, 6u);  // both halves of three nodes
    const auto of_file = GraphEditor::with_extra_json(*in_pieces, strings, std::move(whole));
    for (NodeId node = 0; node < in_pieces->node_count(); ++node) {
        const experts::ChunkPlace place = experts::chunk_place(*in_pieces, node, "test"),
                                  expected = experts::chunk_place(*of_file, node, "test");
        EXPECT_EQ(place.chunk, expected.chunk) << in_pieces->name(node);
        EXPECT_EQ(place.region, expected.region) << in_pieces->name(node);
    }
    const auto expected = require_pass(concretize).run(of_file, {}, {}).graph;
    result_ = require_pass(concretize).run(in_pieces, {}, {});
    EXPECT_EQ(fields("relu_chunk1"),
              R"json({"titan_meta":{"chunked_region_fqn":"layers.1.moe","chunked_region_is_backward":false,)json"
              R"json("chunked_region_producer":"graph","chunked_region_role":"body","chunk_id":1,)json"
              R"json("chunked_original_name":"relu"}})json");
    ASSERT_EQ(result_.graph->node_count(), expected->node_count());
    for (NodeId node = 0; node < expected->node_count(); ++node) {
        EXPECT_EQ(result_.graph->text(result_.graph->extra_json()[node]), expected->text(expected->extra_json()[node]));
    }
}

TEST_F(EpOverlapChunkTest, ANameWithAQuoteIsEscaped) {
    const NodeId x = batch("x");
    const NodeId relu = node("re\"lu", "aten.relu.default", {x}, in("layers.1.moe"));
    const NodeId exchanged = tokens("all_to_all_single", relu);
    output({node("wait_tensor", "_c10d_functional.wait_tensor.default", {exchanged}, in("layers.1.moe", "dispatch"))});
    run(chunk, options_);
    std::size_t escaped = 0;
    for (const StringId fields : result_.graph->extra_json())
        escaped += result_.graph->text(fields).find(
                       R"("chunked_region_fqn":"layers.1.moe","chunked_region_is_backward":false,)"
                       R"("chunked_region_producer":"graph","chunked_region_role":"body","chunk_id":)") !=
                       std::string_view::npos &&
                   result_.graph->text(fields).find(R"("chunked_original_name":"re\"lu"}})") != std::string_view::npos;
    EXPECT_EQ(escaped, 2u);
}

TEST_F(EpOverlapChunkTest, AnOddBatchIsRefused) {
    step(7);
    EXPECT_NE(refusal(chunk, options_).find("which is odd"), std::string::npos);
}

TEST_F(EpOverlapChunkTest, AHalfBeyond64BitsIsRefused) {
    const NodeId x = batch("x");
    NodeMetadata large;
    large.extra_json = builder_.intern(R"({"symbolic_shapes":[["9223372036854775806*u0",4]]})");
    const NodeId y = node("y", "aten.sigmoid.default", {x}, large);
    const NodeId exchanged = tokens("all_to_all_single", node("relu", "aten.relu.default", {y}, in("layers.1.moe")));
    output({node("add", "aten.sigmoid.default", {exchanged}, in("layers.1"))});
    EXPECT_NE(refusal(chunk, options_).find("4611686018427387903*u0"), std::string::npos);
}

TEST_F(EpOverlapChunkTest, ASymbolThatCannotBeNumberedIsRefused) {
    const NodeId x = batch("x");
    const NodeId relu = node("relu", "aten.relu.default", {x}, in("layers.1.moe"));
    NodeMetadata counted = in("layers.1.moe");
    counted.extra_json = builder_.intern(R"({"symbolic_value":{"symbol":"u9223372036854775807","hint":3}})");
    const Value input = Value::of_node(relu);
    const NodeId count = builder_.call("count", "aten._local_scalar_dense.default", {&input, 1}, {}, counted);
    const NodeId scaled = node("scaled", "aten.mul.Tensor", {relu, count}, in("layers.1.moe"));
    output({node("add", "aten.sigmoid.default", {tokens("all_to_all_single", scaled)}, in("layers.1"))});
    EXPECT_NE(refusal(chunk, options_).find("no number is left"), std::string::npos);
}

TEST_F(EpOverlapChunkTest, APatternWithoutExchangeIsRefused) {
    step();
    Json options = options_;
    options["module_pattern"] = "layers.*.attention";
    EXPECT_NE(refusal(chunk, options).find("layers.*.attention"), std::string::npos);
}

TEST_F(EpOverlapChunkTest, AGraphThatWasNotTracedForItIsRefusedWithWhatTheJobMustSet) {
    const NodeId x = placeholder("x");
    output({node("all_to_all_single", "_c10d_functional.all_to_all_single.default", {x}, {})});
    EXPECT_NE(refusal(populate, {{"mode", "batch"}}).find("ep_overlap.enabled"), std::string::npos);
}

TEST_F(EpOverlapChunkTest, WhatIsHalvedHasToBeSaid) {
    output({placeholder("x")});
    const std::string problem = test::problem_of([&] { run(populate); });
    EXPECT_NE(problem.find("option \"mode\" is missing"), std::string::npos) << problem;
}

TEST_F(EpOverlapChunkTest, ACollectiveThatIsNotOfExpertsIsRefused) {
    const NodeId x = batch("x");
    const NodeId exchanged = tokens("all_to_all_single", x);
    const NodeId reduced = node("reduced", "_c10d_functional.all_reduce.default", {exchanged}, in("layers.1.moe"));
    output({node("add", "aten.sigmoid.default", {reduced}, in("layers.1"))});
    EXPECT_NE(refusal(chunk, options_).find("\"reduced\""), std::string::npos);
}

TEST_F(EpOverlapChunkTest, ACollectiveWithoutAnnotationsIsNotOfExperts) {
    const NodeId exchanged = tokens("all_to_all_single", batch("x"));
    NodeMetadata plain = in("layers.1.moe");
    plain.custom_json = empty_string;
    const NodeId reduced = node("reduced", "_c10d_functional.all_reduce.default", {exchanged}, plain);
    output({node("add", "aten.sigmoid.default", {reduced}, in("layers.1"))});
    EXPECT_NE(refusal(chunk, options_).find("\"reduced\""), std::string::npos);
}

TEST_F(EpOverlapChunkTest, PopulateNotesTheBatchAtItsInput) {
    step();
    run(populate, {{"mode", "seq"}});
    EXPECT_EQ(fields("x"), R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"chunk_symbol_hints":{"u0":8}}})");
    EXPECT_EQ(fields("relu"), R"({"symbolic_shapes":[["u0",4]]})");
}

TEST_F(EpOverlapChunkTest, PopulateLeavesOtherMembersWhereTheyAre) {
    NodeMetadata metadata;
    metadata.extra_json = builder_.intern(
        R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"chunk_id":2,"recompute":"x"}})");  // it does not look at it
    NodeRecord record;
    record.name = builder_.intern("x");
    record.op = NodeOp::placeholder;
    record.target = builder_.target("x");
    record.args = builder_.list({});
    record.kwargs = builder_.dictionary({});
    record.has_outputs = true;
    const TensorMeta out = tensor({8, 4});
    output({tokens("all_to_all_single", builder_.add(record, metadata, std::span(&out, 1)))});
    run(populate, {{"mode", "batch"}});
    EXPECT_EQ(fields("x"), R"({"symbolic_shapes":[["u0",4]],"titan_meta":{"chunk_id":2,"recompute":"x",)"
                           R"("chunk_symbol_hints":{"u0":8}}})");
}

TEST_F(EpOverlapChunkTest, AHalvedModuleIsNotHalvedAgain) {
    step();
    run(chunk, options_);
    const std::string reason = test::problem_of(
        [&] { require_pass(chunk).run(result_.graph, read_options(require_pass(chunk), options_), {}); });
    EXPECT_NE(reason.find("nothing in the modules that match \"layers.*.moe\" follows the halved size"),
              std::string::npos)
        << reason;
}

TEST_F(EpOverlapChunkTest, ConcretizingMakesNumbersAndTakesScalarsAway) {
    step();
    run(populate, {{"mode", "batch"}});
    result_ = require_pass(chunk).run(result_.graph, read_options(require_pass(chunk), options_), {});
    result_ = require_pass(concretize).run(result_.graph, {}, {});
    const Names left = names();
    EXPECT_EQ(std::ranges::count(left, "sym_size_int"), 0);
    EXPECT_EQ(std::ranges::count(left, "floordiv"), 0);
    EXPECT_EQ(fields("x"), "");
    const Graph& graph = *result_.graph;
    const Value* sizes = graph.argument(graph.find("split_with_sizes_default"), 1);
    ASSERT_NE(sizes, nullptr);
    EXPECT_EQ(graph.children(*sizes)[1].integer, 4);
}

TEST_F(EpOverlapChunkTest, ASizeMayBecomeZeroAndNotLess) {
    for (const std::int64_t less : {8, 9}) {
        builder_ = {};
        const NodeId x = batch("x");
        NodeMetadata rest = in("layers.1");
        rest.extra_json = builder_.intern(R"({"symbolic_shapes":[["u0 - )" + std::to_string(less) + R"(",4]]})");
        output({tokens("all_to_all_single", x), node("rest", "aten.slice.Tensor", {x}, rest, 1)});
        run(populate, {{"mode", "batch"}});
        const auto noted = result_.graph;
        if (less == 9) {
            EXPECT_THROW(require_pass(concretize).run(noted, {}, {}), PassRefusal);
            continue;
        }
        result_ = require_pass(concretize).run(noted, {}, {});
        const Graph& graph = *result_.graph;
        EXPECT_EQ(graph.shape(graph.outputs(graph.find("rest")).front()).front(), 0);
    }
}

TEST_F(EpOverlapChunkTest, AnAssertionThatNumbersMakeFalseIsRefused) {
    for (const std::int64_t least : {8, 9}) {
        builder_ = {};
        const NodeId x = batch("x");
        NodeMetadata of_size;
        of_size.extra_json = builder_.intern(R"({"symbolic_value":{"symbol":"u0","hint":8}})");
        const Value first[] = {Value::of_node(x), Value::of_integer(0)};
        const NodeId size = builder_.call("size", "aten.sym_size.int", first, {}, of_size);
        const Value sides[] = {Value::of_node(size), Value::of_integer(least)};
        const NodeId compared = builder_.call("ge", "operator.ge", sides, {});
        const Value both[] = {Value::of_node(compared), Value::of_node(builder_.call("le", "operator.le", sides, {}))};
        const Value condition = Value::of_node(builder_.call("both", "operator.and_", both, {}));
        builder_.call("assertion", "aten._assert_scalar.default", {&condition, 1}, {});
        const NodeId relu = node("relu", "aten.relu.default", {x}, in("layers.1.moe"));
        output({node("add", "aten.sigmoid.default", {tokens("all_to_all_single", relu)}, in("layers.1"))});
        run(populate, {{"mode", "batch"}});
        const auto noted = result_.graph;
        if (least == 9) {
            EXPECT_THROW(require_pass(concretize).run(noted, {}, {}), PassRefusal);
            continue;
        }
        result_ = require_pass(concretize).run(noted, {}, {});
        EXPECT_EQ(names(), Names({"x", "relu", "all_to_all_single", "add", "output"}));
    }
}

TEST_F(EpOverlapChunkTest, WithoutNotesConcretizingDoesNothingAsInTheJob) {
    step();
    run(chunk, options_);
    const auto halved = result_.graph;
    result_ = require_pass(concretize).run(halved, {}, {});
    EXPECT_EQ(result_.graph, halved);
}

TEST_F(EpOverlapChunkTest, WithoutHalvesConcretizingDoesNothing) {
    step();
    run(concretize);
    EXPECT_TRUE(is_input());
}

}  // namespace
}  // namespace overlap
