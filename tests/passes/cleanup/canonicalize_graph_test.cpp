#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class CanonicalizeGraphTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "canonicalize_graph_pass";

    std::vector<Value> slice(NodeId input, std::int64_t dimension, std::int64_t start, std::int64_t end) {
        return {Value::of_node(input), Value::of_integer(dimension), Value::of_integer(start), Value::of_integer(end)};
    }
};

TEST_F(CanonicalizeGraphTest, DetachesGo) {
    const NodeId x = placeholder("x");
    const NodeId once = call("once", "aten.detach.default", {x});
    const NodeId twice = call("twice", "aten.detach.default", {once});
    output({call("kept", "aten.add.Tensor", {twice, once})});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "kept", "output"}));
    EXPECT_EQ(inputs("kept"), Names({"x"}));
}

TEST_F(CanonicalizeGraphTest, ViewsOfTheSameShapeGoAndOthersBecomeReshapes) {
    const NodeId x = placeholder("x", {2, 4});
    const NodeId same = call("same", "aten._unsafe_view.default", {x}, {2, 4});
    const NodeId view = call("view", "aten.view.default", {same}, {8});
    const NodeId kept = call("kept", "aten.reshape.default", {view}, {4, 2});
    output({kept, call("typed", "aten.view.dtype", {x}, {2, 4})});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "view", "kept", "typed", "output"}));
    EXPECT_EQ(result_.graph->target(1), "aten.reshape.default");
    EXPECT_EQ(result_.graph->target(3), "aten.view.dtype");
    EXPECT_EQ(inputs("view"), Names({"x"}));
}

TEST_F(CanonicalizeGraphTest, DoubleTransposesGo) {
    const NodeId x = placeholder("x", {2, 4});
    const NodeId inner = call("inner", "aten.t.default", {x}, {4, 2});
    const NodeId outer = call("outer", "aten.t.default", {inner}, {2, 4});
    const NodeId shared = call("shared", "aten.t.default", {x}, {4, 2});
    const NodeId back = call("back", "aten.t.default", {shared}, {2, 4});
    const NodeId again = call("again", "aten.t.default", {back}, {4, 2});
    output({outer, shared, again});
    run(pass);
    // `back` is x, so `again` transposes once; `shared` has a user of its own.
    EXPECT_EQ(names(), Names({"x", "shared", "again", "output"}));
    EXPECT_EQ(inputs("again"), Names({"x"}));
    EXPECT_EQ(inputs("output"), Names({"x", "shared", "again"}));
}

TEST_F(CanonicalizeGraphTest, SlicesOfEverythingGo) {
    const NodeId x = placeholder("x", {2, 4});
    const NodeId all = call("all", "aten.slice.Tensor", slice(x, 1, 0, 4), {2, 4});
    const NodeId from_end = call("from_end", "aten.slice.Tensor", slice(all, -1, 0, 99), {2, 4});
    const NodeId plain = call("plain", "aten.slice.Tensor", {from_end}, {2, 4});
    const NodeId part = call("part", "aten.slice.Tensor", slice(plain, 1, 0, 3), {2, 3});
    output({call("later", "aten.slice.Tensor", slice(part, 1, 1, 3), {2, 2})});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "part", "later", "output"}));
}

TEST_F(CanonicalizeGraphTest, SlicesWithStepsStay) {
    const NodeId x = placeholder("x", {2, 4});
    std::vector<Value> args = slice(x, 1, 0, 4);
    args.push_back(Value::of_integer(2));
    output({call("every_other", "aten.slice.Tensor", args, {2, 2})});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "every_other", "output"}));
}

TEST_F(CanonicalizeGraphTest, ASliceOfADimensionThatDoesNotExistIsRefused) {
    const NodeId x = placeholder("x");
    output({call("bad", "aten.slice.Tensor", slice(x, 3, 0, 4))});
    EXPECT_NE(refusal(pass).find("\"bad\": its dimension or its end"), std::string::npos);
}

TEST_F(CanonicalizeGraphTest, WithoutSuchOperatorsTheGraphStays) {
    output({call("a", "aten.relu.default", {placeholder("x")})});
    run(pass);
    EXPECT_TRUE(is_input());
}

}  // namespace
}  // namespace overlap
