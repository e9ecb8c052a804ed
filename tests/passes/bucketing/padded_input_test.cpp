#include "core/passes/bucketing/padded_input.h"

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
    /// What a reduce-scatter of the packing only pads. @param dtype that the zeros are asked to have.
    std::optional<PaddedInput> matched(std::string_view dtype = "bfloat16", ValueKind kind = ValueKind::dtype,
                                       bool says_padding = true) {
        builder_ = {};
        source_ = call("source", "aten.relu.default", {placeholder("x", {5, 4})}, {5, 4});
        const TensorMeta chunks[] = {tensor({2, 4}), tensor({2, 4}), tensor({1, 4})};
        const Value of_split[] = {Value::of_node(source_), Value::of_integer(2)};
        const NodeId split = builder_.call("split", "aten.split.Tensor", of_split, chunks);
        const NodeId first = getitem("first", split, 0, 2), second = getitem("second", split, 1, 2);
        const NodeId short_piece = getitem("third", split, 2, 1);
        const NodeId third =
            says_padding ? padded("third_padded", short_piece, 1)
                         : call("third_padded", "aten.constant_pad_nd.default", {Value::of_node(short_piece)}, {2, 4});
        const NodeId fourth = padded("fourth_padded", zeros(first, builder_.string(dtype, kind)), 2);
        const Value pieces[] = {Value::of_node(first), Value::of_node(second), Value::of_node(third),
                                Value::of_node(fourth)};
        const NodeId cat = call("cat", "aten.cat.default", {builder_.list(pieces)}, {8, 4});
        const NodeId start =
            call("start", "_c10d_functional.reduce_scatter_tensor.default",
                 {Value::of_node(cat), builder_.string("avg"), Value::of_integer(4), builder_.string("0")}, {2, 4});
        output({start});
        return match_padded_input(GraphEditor(std::make_shared<const Graph>(builder_.finish(header_))), cat, start);
    }
    NodeId zeros(NodeId like, Value dtype) {
        const Value size[] = {Value::of_integer(0), Value::of_integer(4)};
        const Value args[] = {Value::of_node(like), builder_.list(size)};
        const Value keywords[] = {builder_.string("dtype"), dtype};
        NodeRecord record;
        record.name = builder_.intern("zeros");
        record.target = builder_.target("aten.new_zeros.default");
        record.args = builder_.list(args);
        record.kwargs = builder_.dictionary(keywords);
        record.has_outputs = true;
        const TensorMeta out = tensor({0, 4});
        return builder_.add(record, {}, std::span(&out, 1));
    }

    NodeId source_ = no_node;
};

TEST_F(PaddedInputTest, PiecesOfASplitThatArePaddedAreFound) {
    const std::optional<PaddedInput> found = matched();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->source, source_);
    EXPECT_EQ(found->packing_nodes.size(), 8u);  // cat, split, four pieces, of which two are padded
}

TEST_F(PaddedInputTest, WithoutItsPaddingAPieceIsNone) {
    EXPECT_FALSE(matched("bfloat16", ValueKind::dtype, false));
}

TEST_F(PaddedInputTest, TheZerosAreOfTheSourcesType) {
    EXPECT_TRUE(matched("bfloat16"));
    EXPECT_FALSE(matched("float32"));
    EXPECT_FALSE(matched("bfloat16", ValueKind::string));
}

}  // namespace
}  // namespace overlap
