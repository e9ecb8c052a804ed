#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class DeduplicateUnshardsTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "deduplicate_fsdp_unshard_chains_pass";

    /// parameter -> cast -> all-gather -> wait -> view
    NodeId unshard(const std::string& name, NodeId parameter) {
        const NodeId cast = call("cast_" + name, "prims.convert_element_type.default", {parameter});
        return call(name, "aten.view.default", {wait("wait_" + name, all_gather("gather_" + name, cast))});
    }
};

TEST_F(DeduplicateUnshardsTest, TheSecondGatherOfAParameterGoes) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId first = call("mm_1", "aten.mm.default", {x, unshard("a", w)});
    const NodeId second = call("mm_2", "aten.mm.default", {first, unshard("b", w)});
    output({second});
    run(pass);
    // The gathered value is the wait: views behind it are not shared. The second view stays, on the first wait.
    EXPECT_EQ(names(), Names({"w", "x", "cast_a", "gather_a", "wait_a", "a", "mm_1", "b", "mm_2", "output"}));
    EXPECT_EQ(inputs("b"), Names({"wait_a"}));
    EXPECT_EQ(problem_kinds(), Names({"duplicate_unshard"}));
}

TEST_F(DeduplicateUnshardsTest, ValuesRebuiltFromPartsAreFollowed) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    std::vector<NodeId> wholes;
    for (const std::string name : {"a", "b"}) {
        const NodeId split =
            call("split_" + name, "aten.split.Tensor", {wait("wait_" + name, all_gather("gather_" + name, w))});
        const NodeId left = call("left_" + name, "operator.getitem", {Value::of_node(split), Value::of_integer(0)});
        const NodeId right = call("right_" + name, "operator.getitem", {Value::of_node(split), Value::of_integer(1)});
        const Value parts[] = {Value::of_node(left), Value::of_node(right)};
        const NodeId cat = call("cat_" + name, "aten.cat.default", {builder_.list(parts)});
        wholes.push_back(call("use_" + name, "aten.mm.default", {x, cat}));
    }
    output({wholes[0], wholes[1]});
    run(pass);
    EXPECT_EQ(names(), Names({"w", "x", "gather_a", "wait_a", "split_a", "left_a", "right_a", "cat_a", "use_a", "use_b",
                              "output"}));
    EXPECT_EQ(inputs("use_b"), Names({"x", "cat_a"}));
}

TEST_F(DeduplicateUnshardsTest, DeadWritesElsewhereStay) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    wait("unused", call("reduced", "_c10d_functional.all_reduce.default",
                        {Value::of_node(x), builder_.string("sum"), builder_.string("0")}));
    output(
        {call("mm_1", "aten.mm.default", {x, unshard("a", w)}), call("mm_2", "aten.mm.default", {x, unshard("b", w)})});
    run(pass);
    EXPECT_EQ(names()[3], "unused");
}

TEST_F(DeduplicateUnshardsTest, OneGatherIsLeftAlone) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId gathered = unshard("a", w);
    output({call("mm_1", "aten.mm.default", {x, gathered}), call("mm_2", "aten.mm.default", {gathered, x})});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(DeduplicateUnshardsTest, AGatherThatIsNotAwaitedIsRefused) {
    const NodeId gathered = all_gather("gathered", placeholder("w"));
    output({call("view", "aten.view.default", {gathered})});
    EXPECT_NE(refusal(pass).find("its user \"view\" is no wait_tensor, and torchtitan raises a ValueError"),
              std::string::npos);
}

TEST_F(DeduplicateUnshardsTest, AGatherThatIsAwaitedTwiceIsRefused) {
    const NodeId gathered = all_gather("gathered", placeholder("w"));
    output({wait("wait_1", gathered), wait("wait_2", gathered)});
    EXPECT_NE(refusal(pass).find("it has 2 users where one wait_tensor is expected"), std::string::npos);
}

}  // namespace
}  // namespace overlap
