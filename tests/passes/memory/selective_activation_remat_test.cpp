#include "core/graph/editing/graph_editor.h"
#include "tests/passes/memory/memory_fixture.h"

namespace overlap {
namespace {

class SelectiveActivationRematTest : public test::MemoryPassTest {
  protected:
    NodeId again(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                 std::string_view module = "layers.0") {
        return node(name, target, inputs, in(module, "PREFER_RECOMPUTE"));
    }
};

TEST_F(SelectiveActivationRematTest, WhatIsTaggedIsComputedAgainBeforeItsFirstUse) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    const NodeId b = again("b_3", "aten.sigmoid.default", {a});
    const NodeId end = node("end", "aten.mm.default", {a, b}, in("layers.0", "MUST_SAVE"));
    const NodeId g = node("g", "aten.mm.default", {end, end}, backward_in("layers.0"));
    const NodeId h = node("h", "aten.mm.default", {g, b}, backward_in("layers.0"));
    output({node("i", "aten.mm.default", {h, a}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "a", "b_3", "end", "g", "a_recomputed", "b_3_recomputed", "h", "i", "output"}));
    EXPECT_EQ(inputs("b_3_recomputed"), Names({"a_recomputed"}));
    EXPECT_EQ(inputs("h"), Names({"g", "b_3_recomputed"}));
    EXPECT_EQ(inputs("i"), Names({"h", "a_recomputed"}));
    EXPECT_EQ(tag("a_recomputed"), "PREFER_RECOMPUTE");
    EXPECT_EQ(metadata("a_recomputed").autograd_backward, true);
    const auto storage = [&](std::string_view name) {
        return result_.graph->outputs(result_.graph->find(name)).front().storage;
    };
    EXPECT_EQ(storage("a_recomputed"), storage("a"));
}

TEST_F(SelectiveActivationRematTest, OriginalsThatNobodyReadsAnyMoreGo) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    const NodeId b = again("b", "aten.sigmoid.default", {a});
    output({node("g", "aten.mm.default", {b, x}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "a_recomputed", "b_recomputed", "g", "output"}));
}

TEST_F(SelectiveActivationRematTest, ThePassUsesUpANameForEachCopyAsTorchDoes) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("view_4", "aten.view.default", {x});
    output({node("g", "aten.mm.default", {a, x}, backward_in("layers.0"))});
    run(remat_pass);
    GraphEditor editor(result_.graph);
    GraphEditor::NewNode wish;
    wish.base_name = "view";
    wish.target = editor.target_index("aten.view.default");
    // view_5 was the copy's until it got its final name.
    EXPECT_EQ(editor.name(editor.create(wish, editor.last())), "view");
    EXPECT_EQ(editor.name(editor.create(wish, editor.last())), "view_6");
}

TEST_F(SelectiveActivationRematTest, TheBackwardPassOfTheLossKeepsWhatItReads) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    const NodeId losses = node("losses", "aten.mm.default", {a, x}, backward_in("loss"));
    output({node("g", "aten.mm.default", {losses, x}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_TRUE(is_input());
}

TEST_F(SelectiveActivationRematTest, SeveralStretchesAreRefused) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x}), b = again("b", "aten.relu.default", {x});
    const NodeId g = node("g", "aten.mm.default", {a, x}, backward_in("layers.0"));
    const NodeId between = node("between", "aten.relu.default", {g}, in("layers.0"));
    output({node("h", "aten.mm.default", {between, b}, backward_in("layers.0"))});
    EXPECT_NE(refusal(remat_pass).find("2 separate stretches"), std::string::npos);
}

TEST_F(SelectiveActivationRematTest, RandomNumbersAreRefused) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.native_dropout.default", {x});
    output({node("g", "aten.mm.default", {a, x}, backward_in("layers.0"))});
    EXPECT_NE(refusal(remat_pass).find("it draws random numbers"), std::string::npos);
}

TEST_F(SelectiveActivationRematTest, AttentionWithoutDropoutDrawsNone) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten._scaled_dot_product_flash_attention.default", {x, x, x});
    output({node("g", "aten.mm.default", {a, x}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "a_recomputed", "g", "output"}));
}

TEST_F(SelectiveActivationRematTest, AttentionWithDropoutIsRefused) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = call("a", "aten._scaled_dot_product_flash_attention.default",
                          {Value::of_node(x), Value::of_node(x), Value::of_node(x), Value::of_floating(0.1)}, {64, 64},
                          in("layers.0", "MUST_RECOMPUTE"));
    output({node("g", "aten.mm.default", {a, x}, backward_in("layers.0"))});
    EXPECT_NE(refusal(remat_pass).find("it draws random numbers"), std::string::npos);
}

TEST_F(SelectiveActivationRematTest, EachCopyOfAnOperatorWithABodyHasItsOwn) {
    const NodeId x = placeholder("x", {64, 64});
    NodeRecord body;
    body.name = builder_.intern("score_0");
    body.op = NodeOp::get_attr;
    body.target = builder_.target("score_0");
    body.args = builder_.list({});
    const NodeId score = builder_.add(body);
    const NodeId a = again("a", "higher_order.flex_attention", {x, score});
    const NodeId end = node("end", "aten.relu.default", {a}, in("layers.0"));
    output({node("g", "aten.mm.default", {a, end}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "score_0", "a", "end", "score_1", "a_recomputed", "g", "output"}));
    EXPECT_EQ(inputs("a_recomputed"), Names({"x", "score_1"}));
    EXPECT_EQ(inputs("a"), Names({"x", "score_0"}));
}

TEST_F(SelectiveActivationRematTest, WhatIsComputedAgainReadsWhatCameBackFromTheHost) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    const NodeId off = node("off", "ao.offload.default", {kept}, in("layers.0"));
    const NodeId a = again("a", "aten.relu.default", {kept}, "layers.1");
    const NodeId away = node("away", "ao.wait_tensor.default", {off, kept, a}, in("layers.0"));
    const NodeId g1 = node("g1", "aten.mm.default", {a, x}, backward_in("layers.1"));
    const NodeId load = node("load", "ao.reload.default", {away}, backward_in("layers.0"));
    const NodeId back = node("back", "ao.wait_tensor.default", {load, away}, backward_in("layers.0"));
    output({node("g0", "aten.mm.default", {back, g1}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "kept", "off", "a", "away", "load", "back", "a_recomputed", "g1", "g0", "output"}));
    EXPECT_EQ(inputs("a_recomputed"), Names({"back"}));
    EXPECT_EQ(problem_kinds(), Names({"memory_tags", "reload_awaited_at_once"}));
    EXPECT_EQ(result_.report.problems.back().nodes, Names({"load"}));
}

TEST_F(SelectiveActivationRematTest, WhatIsNotDefinedYetIsRefused) {
    // The backward pass of the loss reads the same value, and its copy would come later.
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    const NodeId losses = node("losses", "aten.mm.default", {a, x}, backward_in("loss"));
    output({node("g", "aten.mm.default", {losses, a}, backward_in("layers.0"))});
    const std::string reason = refusal(remat_pass);
    EXPECT_NE(reason.find("node \"losses\": it stands before its input \"a_recomputed\""), std::string::npos) << reason;
}

TEST_F(SelectiveActivationRematTest, PartsMoveBehindWhatTheyAreOf) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId both = pair("both", "aten.sort.default", {x}, in("layers.0"));
    const NodeId second = getitem("second", both, 1, in("layers.0"));
    const NodeId between = node("between", "aten.relu.default", {x}, in("layers.0"));
    const NodeId first = getitem("first", both, 0, in("layers.0"));
    const NodeId a = again("a", "aten.relu.default", {first});
    output({node("g", "aten.mm.default", {a, second, between}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(names(), Names({"x", "both", "second", "first", "between", "a_recomputed", "g", "output"}));
}

TEST_F(SelectiveActivationRematTest, UsersAreInTheOrderOfTheNodesAndTheOpenOnesNamed) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    const NodeId g = node("g", "aten.mm.default", {a, x}, backward_in("layers.0"));
    output({node("h", "aten.mm.default", {x, a, g}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_EQ(users("x"), Names({"a_recomputed", "g", "h"}));
    EXPECT_EQ(problem_kinds(), Names({"memory_tags", "users_order_open"}));
    EXPECT_EQ(result_.report.problems.back().nodes, Names({"x", "a_recomputed"}));
}

TEST_F(SelectiveActivationRematTest, WithoutTagsNothingHappens) {
    const NodeId x = placeholder("x", {64, 64});
    output({node("g", "aten.mm.default", {x, x}, backward_in("layers.0"))});
    run(remat_pass);
    EXPECT_TRUE(is_input());
}

TEST_F(SelectiveActivationRematTest, ANameThatIsTakenIsRefused) {
    const NodeId x = placeholder("a_recomputed", {64, 64});
    const NodeId a = again("a", "aten.relu.default", {x});
    output({node("g", "aten.mm.default", {a, x}, backward_in("layers.0"))});
    EXPECT_NE(refusal(remat_pass).find("cannot have two nodes of one name"), std::string::npos);
}

}  // namespace
}  // namespace overlap
