#include "core/passes/bucketing/padded_input.h"

#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Five rows are split among four ranks, two to each: the third piece is padded by one, the last one is all zeros.
class PaddedInputTest : public test::PassTest {
  protected:
    NodeId getitem(std::string_view name, NodeId split, std::int64_t index, std::int64_t rows) {
        return call(name, "operator.getitem", {Value::of_node(split), Value::of_integer(index)}, {rows, 4});
    }
    NodeId padded(std::string_view name, NodeId piece, std::int64_t rows) {
        const Value padding[] = {Value::of_integer(0), Value::of_integer(0), Value::of_integer(0),
                                 Value::of_integer(rows)};
        return call(name, "aten.constant_pad_nd.default", {Value::of_node(piece), builder_.list(padding)}, {2, 4});
    }
    /// A reduce-scatter of the packing.
    std::shared_ptr<const Graph> packing() {
        builder_ = {};
        const NodeId source = call("source", "aten.relu.default", {placeholder("x", {5, 4})}, {5, 4});
        const TensorMeta chunks[] = {tensor({2, 4}), tensor({2, 4}), tensor({1, 4})};
        const Value of_split[] = {Value::of_node(source), Value::of_integer(2)};
        const NodeId split = builder_.call("split", "aten.split.Tensor", of_split, chunks);
        const NodeId first = getitem("first", split, 0, 2), second = getitem("second", split, 1, 2);
        const NodeId third = padded("third_padded", getitem("third", split, 2, 1), 1);
        const NodeId fourth = padded("fourth_padded", zeros(first), 2);
        const Value pieces[] = {Value::of_node(first), Value::of_node(second), Value::of_node(third),
                                Value::of_node(fourth)};
        const NodeId cat = call("cat", "aten.cat.default", {builder_.list(pieces)}, {8, 4});
        const NodeId start =
            call("start", "_c10d_functional.reduce_scatter_tensor.default",
                 {Value::of_node(cat), builder_.string("avg"), Value::of_integer(4), builder_.string("0")}, {2, 4});
        output({start});
        return std::make_shared<const Graph>(builder_.finish(header_));
    }
    static std::optional<PaddedInput> matched(const std::shared_ptr<const Graph>& graph) {
        return match_padded_input(GraphEditor(graph), graph->find("cat"), graph->find("start"));
    }
    std::optional<PaddedInput> matched_with(const std::vector<test::Difference>& differences) {
        return matched(test::altered(*packing(), differences));
    }
    NodeId zeros(NodeId like) {
        const Value size[] = {Value::of_integer(0), Value::of_integer(4)};
        return call("zeros", "aten.new_zeros.default", {Value::of_node(like), builder_.list(size)}, {0, 4});
    }
};

TEST_F(PaddedInputTest, PiecesOfASplitThatArePaddedAreFound) {
    const std::shared_ptr<const Graph> graph = packing();
    const std::optional<PaddedInput> found = matched(graph);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->source, graph->find("source"));
    std::vector<std::string> names;
    for (const NodeId node : found->packing_nodes) names.emplace_back(graph->name(node));
    EXPECT_EQ(names, Names({"cat", "split", "first", "second", "third_padded", "third", "fourth_padded", "zeros"}));
}

TEST_F(PaddedInputTest, TheSameCanBeWrittenInOtherWays) {
    const std::vector<std::vector<test::Difference>> ways = {
        {{"cat", "/args/-", "0"}},
        {{"cat", "/args/-", "-2"}},
        {{"cat", "/kwargs", R"({"dim": 0})"}},
        {{"split", "/args/-", "-2"}},
        {{"split", "/args/1", ""}, {"split", "/kwargs", R"({"split_size": 2, "dim": 0})"}},
        {{"cat", "/kwargs", R"({"tensors": ["%first", "%second", "%third_padded", "%fourth_padded"]})"},
         {"cat", "/args", "[]"}},
        {{"third_padded", "/args/1", ""}, {"third_padded", "/kwargs", R"({"pad": [0, 0, 0, 1]})"}},
        {{"third_padded", "/args/-", "0"}},
        {{"third_padded", "/args/-", "0.0"}},
        {{"third_padded", "/args/-", "false"}},
        {{"third_padded", "/kwargs", R"({"value": 0})"}},
        {{"zeros", "/kwargs", R"({"dtype": null, "layout": null, "device": null, "pin_memory": null})"}},
        {{"zeros", "/kwargs",
          R"({"dtype": {"dtype": "bfloat16"}, "layout": {"layout": "strided"}, "device": {"device": "cuda"},
              "pin_memory": false})"}},
        {{"zeros", "/kwargs", R"({"device": {"device": "cuda:3"}})"}},
    };
    for (const auto& way : ways) EXPECT_TRUE(matched_with(way)) << way.front();
}

TEST_F(PaddedInputTest, WhatDoesNotOnlyPadIsNone) {
    const std::vector<std::vector<test::Difference>> ways = {
        // The collective.
        {{"start", "/args/2", "3"}},
        {{"start", "/args/2", "0"}},
        {{"start", "/args/2", R"("4")"}},
        {{"start", "/args", R"([{"node": "cat"}, "avg"])"}},
        // What is joined.
        {{"cat", "/target", R"("aten.hstack.default")"}},
        {{"cat", "/outputs", ""}},
        {{"cat", "/args/-", "1"}},
        {{"cat", "/args/-", R"("rows")"}},
        {{"cat", "/args", "[]"}},
        {{"cat", "/args/0", R"("%first")"}},
        {{"cat", "/args/0/0", "1"}},
        {{"cat", "/outputs/0/dtype", R"("float32")"}},
        {{"cat", "/outputs/0/device", R"("cpu")"}},
        {{"cat", "/outputs/0/stride", "[1, 8]"}},
        {{"cat", "/outputs/0/shape", "[]"}, {"cat", "/outputs/0/stride", "[]"}},
        {{"cat", "/outputs/0/shape", "[3, 4]"}},
        {{"cat", "/outputs/0/shape", "[10, 4]"}},
        // What is split.
        {{"split", "/target", R"("aten.split_with_sizes.default")"}},
        {{"split", "/args/0", "1"}},
        {{"split", "/args/1", "3"}},
        {{"split", "/args/1", "0"}},
        {{"split", "/args/1", R"("two")"}},
        {{"split", "/args/1", ""}},
        {{"split", "/args/-", "1"}},
        {{"split", "/args/-", R"("rows")"}},
        {{"source", "/outputs", ""}},
        {{"source", "/outputs/0/stride", "[1, 5]"}},
        {{"source", "/outputs/0/dtype", R"("float32")"}},
        {{"source", "/outputs/0/shape", "[0, 4]"}},
        {{"source", "/outputs/0/shape", "[]"}, {"source", "/outputs/0/stride", "[]"}},
        // Pieces.
        {{"first", "/target", R"("aten.relu.default")"}},
        {{"first", "/args/0", R"("%source")"}},
        {{"first", "/args/0", "1"}},
        {{"first", "/args/1", "1"}},
        {{"first", "/args/1", R"("one")"}},
        {{"first", "/args/1", ""}},
        {{"first", "/outputs", ""}},
        {{"first", "/outputs/0/shape", "[1, 4]"}},
        {{"first", "/outputs/0/dtype", R"("float32")"}},
        {{"first", "/outputs/0/stride", "[1, 2]"}},
        // The padding.
        {{"third_padded", "/args/1", ""}},
        {{"third_padded", "/args/1", "1"}},
        {{"third_padded", "/args/1/3", "2"}},
        {{"third_padded", "/args/1/3", R"("one")"}},
        {{"third_padded", "/args/1", "[0, 0, 1, 0]"}},
        {{"third_padded", "/args/0", "1"}},
        {{"third_padded", "/args/-", "1"}},
        {{"third_padded", "/args/-", "0.5"}},
        {{"third_padded", "/args/-", "true"}},
        {{"third_padded", "/args/-", R"("0")"}},
        {{"cat", "/args/0/2", R"("%third")"}},
        {{"cat", "/args/0/3", R"("%zeros")"}},
        {{"third", "/outputs/0/shape", "[2, 4]"}, {"cat", "/args/0/2", R"("%third")"}},
        {{"fourth_padded", "/args/1/3", "1"}},
        // What stands for missing pieces.
        {{"fourth_padded", "/args/0", R"("%third")"}},
        {{"zeros", "/args/0", R"("%second")"}},
        {{"zeros", "/args/1", "[1, 4]"}},
        {{"zeros", "/args/1", R"(["no", 4])"}},
        {{"zeros", "/args/1", ""}},
        {{"zeros", "/outputs/0/dtype", R"("float32")"}},
        {{"zeros", "/kwargs", R"({"dtype": {"dtype": "float32"}})"}},
        {{"zeros", "/kwargs", R"({"dtype": "bfloat16"})"}},
        {{"zeros", "/kwargs", R"({"layout": "strided"})"}},
        {{"zeros", "/kwargs", R"({"layout": {"layout": "sparse_coo"}})"}},
        {{"zeros", "/kwargs", R"({"device": {"device": "cpu"}})"}},
        {{"zeros", "/kwargs", R"({"device": "cuda"})"}},
        {{"zeros", "/kwargs", R"({"pin_memory": true})"}},
        {{"zeros", "/kwargs", R"({"pin_memory": 0})"}},
        {{"zeros", "/kwargs", R"({"names": null})"}},
    };
    for (const auto& way : ways) EXPECT_FALSE(matched_with(way)) << way.front();
}

TEST_F(PaddedInputTest, WhatIsReadElsewhereTooIsNone) {
    for (const std::string read : {"cat", "source"}) {
        const test::Call reader{"reader", "aten.neg.default", R"(["%)" + read + R"("])"};
        EXPECT_FALSE(matched(test::with_call(*packing(), reader, "start"))) << read;
    }
}

TEST_F(PaddedInputTest, PiecesOfTwoSplitsAreNone) {
    const auto graph = test::with_call(*packing(), {"other", "aten.split.Tensor", R"(["%source", 2])"}, "first");
    EXPECT_FALSE(matched(test::altered(*graph, {{"second", "/args/0", R"("%other")"}})));
}

TEST_F(PaddedInputTest, NodesThatNobodyReadsAnyMoreGo) {
    const std::shared_ptr<const Graph> graph = packing();
    GraphEditor editor(graph);
    const std::optional<PaddedInput> found = match_padded_input(editor, graph->find("cat"), graph->find("start"));
    ASSERT_TRUE(found);
    erase_dead_packing_nodes(editor, found->packing_nodes);
    EXPECT_FALSE(editor.is_erased(graph->find("split")));  // the collective reads what is joined of it
    editor.erase(graph->find("output"));
    editor.erase(graph->find("start"));
    erase_dead_packing_nodes(editor, found->packing_nodes);
    for (const NodeId node : found->packing_nodes) EXPECT_TRUE(editor.is_erased(node)) << graph->name(node);
    EXPECT_FALSE(editor.is_erased(graph->find("source")));
}

}  // namespace
}  // namespace overlap
