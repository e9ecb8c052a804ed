#include "tests/passes/memory/memory_fixture.h"

namespace overlap {
namespace {

class TagWithMemoryPolicyTest : public test::MemoryPassTest {
  protected:
    /// Two layers of a matrix product and a sigmoid each; the backward pass reads all of it.
    void two_layers() {
        NodeId value = placeholder("x", {64, 64});
        const NodeId weight = placeholder("w", {64, 64});
        std::vector<NodeId> made;
        for (const std::string layer : {"0", "1"}) {
            const std::string module = std::string("layers.").append(layer);
            const std::string product = std::string("mm").append(layer), act = std::string("act").append(layer);
            made.push_back(value = node(product, "aten.mm.default", {value, weight}, in(module + ".w")));
            made.push_back(value = node(act, "aten.sigmoid.default", {value}, in(module)));
        }
        const NodeId last = node("gradient", "aten.add.Tensor", {made[0], made[1]}, backward_in("layers.1"));
        output({node("end", "aten.add.Tensor", {last, made[2], made[3]}, backward_in("layers.0"))});
    }
    static Json policy(std::string_view name) { return {{"memory_policy", name}}; }
};

TEST_F(TagWithMemoryPolicyTest, TheDefaultSavesExpensiveOperatorsAndWhatALaterLayerTakes) {
    two_layers();
    run(tag_pass);
    // act0 is read by a product, which is saved itself: nothing that is computed again crosses into layer 1.
    EXPECT_EQ(tags(), Names({"mm0 MUST_SAVE", "act0 PREFER_RECOMPUTE", "mm1 MUST_SAVE", "act1 PREFER_RECOMPUTE"}));
    EXPECT_EQ(problem_kinds(), Names({"memory_tags"}));
    EXPECT_EQ(result_.report.problems.front().message.find("can be offloaded"), std::string::npos);
    EXPECT_EQ(result_.origin.size(), graph_->node_count());
}

TEST_F(TagWithMemoryPolicyTest, FullSavesEndsOfLayersOnly) {
    two_layers();
    run(tag_pass, policy("full"));
    EXPECT_EQ(tags(), Names({"mm0 MUST_RECOMPUTE", "act0 MUST_SAVE", "mm1 MUST_RECOMPUTE", "act1 MUST_RECOMPUTE"}));
}

TEST_F(TagWithMemoryPolicyTest, FullSavesWhatASelectorNames) {
    two_layers();
    Json options = policy("full");
    options["full_recompute_save_ops"] = " layers.[1-3].w :: aten.mm.default | norm::torch.ops.aten.mm.default";
    run(tag_pass, options);
    EXPECT_EQ(tag("mm0"), "MUST_RECOMPUTE");
    EXPECT_EQ(tag("mm1"), "MUST_SAVE");
}

TEST_F(TagWithMemoryPolicyTest, SelectorsThatTorchtitanRefusesAreRefused) {
    two_layers();
    const auto why = [&](std::string_view name, std::string_view selectors) {
        const Options options = {{"memory_policy", std::string(name)},
                                 {"full_recompute_save_ops", std::string(selectors)}};
        if (!graph_) graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        try {
            require_pass(tag_pass).run(graph_, options, {});
        } catch (const PassRefusal& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    EXPECT_NE(why("default", "layers.*::aten.mm.default").find("it needs the memory_policy full"), std::string::npos);
    EXPECT_NE(why("full", "aten.mm.default").find("is not of the form MODULES::OPERATOR"), std::string::npos);
    EXPECT_NE(why("full", "a::b::c").find("is not of the form"), std::string::npos);
    EXPECT_NE(why("full", "layers.*::aten.mm").find("is no specific overload"), std::string::npos);
    EXPECT_NE(why("full", "layers.*::unheard_of").find("is no specific overload"), std::string::npos);
    EXPECT_NE(why("full", "layers.*::aten.nothing.default").find("the graph has no operator"), std::string::npos);
    EXPECT_EQ(why("full", "layers.*::aten.bmm.default"), "");
    EXPECT_EQ(why("full", "layers.*::higher_order.flex_attention"), "");
    EXPECT_EQ(why("full", " "), "");
}

TEST_F(TagWithMemoryPolicyTest, EagerComputesEverySecondProductOfALayerAgain) {
    NodeId value = placeholder("x", {64, 64});
    const auto product = [&](const std::string& name, std::string_view module) {
        value = node(name, "aten.mm.default", {value, value}, in(module));
    };
    product("a", "layers.0.w1");
    product("b", "");  // counts on
    product("c", "layers.0.w2");
    product("d", "layers.1.w1");
    product("e", "layers.1.w2");
    output({node("gradient", "aten.add.Tensor", {value}, backward_in(""))});
    run(tag_pass, policy("eager"));
    EXPECT_EQ(tags(), Names({"a MUST_SAVE", "b PREFER_RECOMPUTE", "c MUST_SAVE", "d MUST_SAVE", "e PREFER_RECOMPUTE"}));
}

TEST_F(TagWithMemoryPolicyTest, PartsAndWaitsHaveTheTagOfWhatTheyBelongTo) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId parts = pair("norm", "aten._fused_rms_norm.default", {x}, in("layers.0"));
    const NodeId first = getitem("first", parts, 0, in("layers.0"));
    const NodeId awaited = node("awaited", "_c10d_functional.wait_tensor.default", {x}, in("layers.0"));
    const NodeId head = node("head", "aten.mm.default", {first, awaited}, in("lm_head"));
    output({node("losses", "aten.sum.default", {head}, in("loss.part"))});
    run(tag_pass);
    EXPECT_EQ(tags(), Names({"norm PREFER_RECOMPUTE", "first PREFER_RECOMPUTE"}));
}

TEST_F(TagWithMemoryPolicyTest, IntegersKnownOnlyWhenTheJobRunsAreSaved) {
    NodeMetadata metadata = in("layers.0");
    metadata.extra_json = builder_.intern(R"({"symbolic_value":{"symbol":"u0","hint":16}})");
    output({node("size", "aten.sym_size.int", {placeholder("x")}, metadata)});
    run(tag_pass);
    EXPECT_EQ(tag("size"), "MUST_SAVE");
    EXPECT_NE(graph_->text(metadata.extra_json).find("u0"), std::string::npos);
}

TEST_F(TagWithMemoryPolicyTest, OtherSymbolicScalarsAreRefused) {
    NodeMetadata metadata = in("layers.0");
    metadata.extra_json = builder_.intern(R"({"symbolic_value":{"symbol":"u0","hint":0.5}})");
    output({node("scale", "aten.sym_size.int", {placeholder("x")}, metadata)});
    EXPECT_NE(refusal(tag_pass).find("stands for no whole number"), std::string::npos);
}

TEST_F(TagWithMemoryPolicyTest, ParametersThatStayGatheredAreSaved) {
    const NodeId w = placeholder("w", {8, 64}), x = placeholder("x", {64, 64});
    const NodeId cast = node("cast", "aten._to_copy.default", {w}, in("layers.0"));
    const NodeId gathered =
        call("gathered", "_c10d_functional.all_gather_into_tensor.default",
             {Value::of_node(cast), Value::of_integer(8), builder_.string("0")}, {64, 64}, in("layers.0"));
    const NodeId whole = node("whole", "_c10d_functional.wait_tensor.default", {gathered}, in("layers.0"));
    const NodeId seen = node("seen", "aten.view.default", {whole}, in("layers.0"));
    output({node("product", "aten.mm.default", {x, seen}, in("layers.0"))});
    Json options = {{"reshard_after_forward", false}};
    run(tag_pass, options);
    // What prepares the gathered value, and views of it, keep the tags of the policy.
    EXPECT_EQ(tags(), Names({"cast PREFER_RECOMPUTE", "gathered PREFER_RECOMPUTE", "whole MUST_SAVE",
                             "seen PREFER_RECOMPUTE", "product MUST_SAVE"}));
}

class OffloadChoiceTest : public TagWithMemoryPolicyTest {
  protected:
    /// Products of these rows in layer 0, and one in layer 1; the backward pass reads them.
    void products(std::initializer_list<std::int64_t> rows) {
        const NodeId x = placeholder("x", {64, 64});
        std::vector<NodeId> made;
        for (const std::int64_t count : rows) {
            const std::string name = std::string("p").append(std::to_string(made.size()));
            made.push_back(node(name, "aten.mm.default", {x, x}, in("layers.0"), {count, 64}));
        }
        made.push_back(node("last", "aten.mm.default", {x, x}, in("layers.1")));
        std::vector<Value> read;
        for (const NodeId product : made) read.push_back(Value::of_node(product));
        output({call("gradient", "aten.add.Tensor", read, {64, 64}, backward_in("layers.1"))});
    }
    Json with_budget(double bytes) const {
        return {{"memory_policy", "sac_and_offload"}, {"cpu_offload_budget_gb", bytes / (1 << 30)}};
    }
};

TEST_F(OffloadChoiceTest, TheLargestThatFitAreTaken) {
    products({64, 256, 128, 32});  // 8, 32, 16 and 4 KiB
    run(tag_pass, with_budget(46000));
    EXPECT_EQ(tag("p0"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("p1"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("p2"), "MUST_SAVE");  // does not fit beside the largest, but smaller ones do
    EXPECT_EQ(tag("p3"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("last"), "MUST_SAVE");
}

TEST_F(OffloadChoiceTest, NoBudgetIsNoLimit) {
    products({64, 31});  // the second has less than 4 KiB
    run(tag_pass, with_budget(0));
    EXPECT_EQ(tag("p0"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("p1"), "MUST_SAVE");
}

TEST_F(OffloadChoiceTest, OfOneLayerNoneIsTheLast) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId product = node("product", "aten.mm.default", {x, x}, in("layers.0"));
    output({node("gradient", "aten.add.Tensor", {product}, backward_in("layers.0"))});
    run(tag_pass, with_budget(0));
    EXPECT_EQ(tag("product"), "MUST_CPU_OFFLOAD");
}

}  // namespace
}  // namespace overlap
