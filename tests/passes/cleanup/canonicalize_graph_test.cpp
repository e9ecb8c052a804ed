#include "tests/passes/altered_graph.h"
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

/// A matrix, what is cleaned of it, and a reader: each difference from a slice or a view of everything.
class CleanedInputTest : public CanonicalizeGraphTest {
  protected:
    using Change = std::vector<test::Difference>;

    std::shared_ptr<const Graph> cleaned(const std::string& target, const std::string& args, const Change& change) {
        builder_ = {};
        const NodeId matrix = placeholder("matrix", {2, 4});
        output({call("cleaned", "aten.relu.default", {matrix}, {2, 4})});
        Change all = {{"cleaned", "/target", '"' + target + '"'}, {"cleaned", "/args", args}};
        all.insert(all.end(), change.begin(), change.end());
        return require_pass(pass).run(test::altered(builder_.finish(header_), all), {}, {}).graph;
    }
    bool goes(const std::string& target, const std::string& args, const Change& change = {}) {
        return cleaned(target, args, change)->find("cleaned") == no_node;
    }
    bool is_refused(const std::string& target, const std::string& args, const Change& change = {}) {
        try {
            cleaned(target, args, change);
        } catch (const PassRefusal& refused) {
            return std::string_view(refused.what()).find("torchtitan raises an error") != std::string_view::npos;
        }
        return false;
    }
};

TEST_F(CleanedInputTest, ASliceGoesWhereItsNumbersTakeEverything) {
    const auto sliced = [&](const std::string& more) {
        return goes("aten.slice.Tensor", R"(["%matrix")" + more + "]");
    };
    EXPECT_TRUE(sliced(""));
    EXPECT_TRUE(sliced(", -2, 0, 2, 1"));
    EXPECT_TRUE(sliced(", 1, 0, 4"));
    EXPECT_TRUE(sliced(R"(, 1, {"symbol": "u0 - u0", "hint": 0}, {"symbol": "u1", "hint": 4}, 1)"));
    EXPECT_TRUE(sliced(", false, false, 2, true"));  // Python's False is 0
    EXPECT_FALSE(sliced(", 1, 0, 3"));
    EXPECT_FALSE(sliced(", 0, 0, true"));
    EXPECT_FALSE(sliced(", 0, 1"));
    EXPECT_FALSE(sliced(", 0, null"));  // None is not 0
    EXPECT_FALSE(sliced(", 0, 0, 2, 2"));
    EXPECT_FALSE(sliced(R"(, 0, "%matrix")"));
    EXPECT_FALSE(sliced(R"(, 0, 0, "%matrix")"));
}

TEST_F(CleanedInputTest, ASliceThatFitsNoInputIsRefused) {
    const auto refused = [&](const std::string& more, const Change& change = {}) {
        return is_refused("aten.slice.Tensor", R"(["%matrix")" + more + "]", change);
    };
    EXPECT_TRUE(refused(", 2"));
    EXPECT_TRUE(refused(", -3"));
    EXPECT_TRUE(refused(", null"));
    EXPECT_TRUE(refused(R"(, "rows")"));
    EXPECT_TRUE(refused(", 0, 0, null"));
    EXPECT_TRUE(refused(", 0", {{"matrix", "/outputs", "[null]"}}));
    EXPECT_TRUE(refused(", 0", {{"matrix", "/outputs/0/shape", "[]"}, {"matrix", "/outputs/0/stride", "[]"}}));
    EXPECT_TRUE(is_refused("aten.slice.Tensor", "[1]"));
    EXPECT_TRUE(is_refused("aten.slice.Tensor", "[]"));
    EXPECT_TRUE(is_refused("aten.detach.default", "[]"));
    EXPECT_FALSE(refused(", 2", {{"matrix", "/outputs", ""}}));  // without a value it is left out
}

TEST_F(CleanedInputTest, AViewGoesWhereBothAreOneTensorOfTheSameShape) {
    const std::string args = R"(["%matrix", [2, 4]])";
    const auto view = [&](const Change& change) { return goes("aten.reshape.default", args, change); };
    EXPECT_TRUE(view({}));
    EXPECT_FALSE(view({{"cleaned", "/outputs/0/shape", "[4, 2]"}}));
    for (const char* node : {"matrix", "cleaned"}) {
        EXPECT_FALSE(view({{node, "/outputs", ""}})) << node;
        EXPECT_FALSE(view({{node, "/outputs", "[null]"}})) << node;
        EXPECT_FALSE(view({{node, "/multi", "true"}})) << node;
    }
    EXPECT_FALSE(goes("aten.reshape.default", "[1, [2, 4]]"));
    EXPECT_FALSE(goes("aten.t.default", "[]"));
}

}  // namespace
}  // namespace overlap
