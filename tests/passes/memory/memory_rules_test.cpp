#include "core/passes/memory/memory_rules.h"

#include "tests/passes/memory/memory_fixture.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

TEST(MemoryRuleText, ReadsWhatItWrites) {
    const std::vector<MemoryRule> rules = {
        {MemoryAction::save, {}, {}},
        {MemoryAction::recompute, {"layers.0", "layers.1"}, {"aten.mm.default", "aten.view.*"}},
        {MemoryAction::keep, {"layers.[3]"}, {}}};
    const std::string text = memory_rules_text(rules);
    EXPECT_EQ(text, "save * | recompute layers.0 + layers.1 :: aten.mm.default + aten.view.* | keep layers.[3]");
    EXPECT_EQ(read_memory_rules(text), rules);
    EXPECT_TRUE(read_memory_rules("  ").empty());
}

TEST(MemoryRuleText, WhatCannotBeIsRefusedWithThePlaceOfTheRule) {
    const auto why = [](std::string_view text) {
        try {
            read_memory_rules(text);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("read");
    };
    EXPECT_NE(why("save * | recompte layers.0").find("rule 2: there is no action \"recompte\"; nearest: \"recompute\""),
              std::string::npos);
    EXPECT_NE(why("save layers.0 +").find("it is empty"), std::string::npos);
    EXPECT_NE(why("keep layers.0 :: aten.mm.default").find("takes no operators"), std::string::npos);
    EXPECT_EQ(memory_rule_error({MemoryAction::save, {"a+b"}, {}}).find("the module \"a+b\" cannot be named"), 0u);
}

class MemoryRulesTest : public test::MemoryPassTest {
  protected:
    /// Two layers with a gathered weight, a product and a sigmoid each; the backward pass reads all of it.
    void two_layers() {
        NodeId value = placeholder("x", {64, 64});
        std::vector<NodeId> read;
        for (const std::string layer : {"0", "1"}) {
            const std::string module = "layers." + layer;
            const NodeMetadata at = in(module + ".w");
            const NodeId weight = placeholder("w" + layer, {8, 64});
            const NodeId gather =
                call("gather" + layer, "_c10d_functional.all_gather_into_tensor.default",
                     {Value::of_node(weight), Value::of_integer(8), builder_.string("0")}, {64, 64}, at);
            const NodeId whole = node("whole" + layer, "_c10d_functional.wait_tensor.default", {gather}, at);
            const NodeId turned = node("turned" + layer, "aten.t.default", {whole}, at);
            read.push_back(turned);
            read.push_back(value = node("mm" + layer, "aten.mm.default", {value, turned}, at));
            read.push_back(value = node("act" + layer, "aten.sigmoid.default", {value}, in(module)));
        }
        NodeId last = node("gradient", "aten.add.Tensor", {read[4], read[5]}, backward_in("layers.1"));
        for (std::size_t index = 0; index < 4; ++index) {
            last = node("gradient" + std::to_string(index), "aten.add.Tensor", {last, read[index]},
                        backward_in("layers.0"));
        }
        output({last});
    }
    /// Tags the graph of two layers.
    void tag_layers(const Json& options) {
        builder_ = GraphBuilder();
        two_layers();
        run(tag_pass, options);
    }
    const std::string& message(std::size_t problem) const { return result_.report.problems.at(problem).message; }
};

TEST_F(MemoryRulesTest, WithoutRulesThePolicyDecides) {
    tag_layers({{"rules", ""}});
    EXPECT_EQ(tag("whole0"), "PREFER_RECOMPUTE");
    EXPECT_EQ(tag("mm0"), "MUST_SAVE");
}

TEST_F(MemoryRulesTest, TheLastRuleThatNamesANodeCounts) {
    tag_layers({{"rules", "recompute * :: aten.mm.default | save layers.1 | recompute layers.1 :: aten.sigmoid.*"}});
    EXPECT_EQ(tag("mm0"), "MUST_RECOMPUTE");
    EXPECT_EQ(tag("mm1"), "MUST_SAVE");
    EXPECT_EQ(tag("act1"), "MUST_RECOMPUTE");
    EXPECT_EQ(problem_kinds(), Names({"memory_tags"}));
    EXPECT_NE(message(0).find("rules decide 3 nodes"), std::string::npos);
}

TEST_F(MemoryRulesTest, SavingAModuleDoesNotKeepItsGatheredParameters) {
    tag_layers({{"rules", "save *"}});
    EXPECT_EQ(tag("act0"), "MUST_SAVE");
    EXPECT_EQ(tag("gather0"), "PREFER_RECOMPUTE");
    EXPECT_EQ(tag("whole0"), "PREFER_RECOMPUTE");
    EXPECT_EQ(tag("turned0"), "PREFER_RECOMPUTE");  // shares the gathered parameter's memory
}

TEST_F(MemoryRulesTest, GathersAreKeptWhereARuleSaysSo) {
    tag_layers({{"memory_policy", "full"}, {"rules", "keep layers.1"}});
    EXPECT_EQ(tag("whole0"), "MUST_RECOMPUTE");
    EXPECT_EQ(tag("whole1"), "MUST_SAVE");
    EXPECT_EQ(tag("mm1"), "MUST_RECOMPUTE");
}

TEST_F(MemoryRulesTest, KeepingAllIsWhatTheTrainersOptionDoes) {
    tag_layers({{"reshard_after_forward", false}});
    const Names by_option = tags();
    tag_layers({{"rules", "keep *"}});
    EXPECT_EQ(tags(), by_option);
    tag_layers({{"reshard_after_forward", false}, {"rules", "reshard layers.1"}});
    EXPECT_EQ(tag("whole0"), "MUST_SAVE");
    EXPECT_EQ(tag("whole1"), "PREFER_RECOMPUTE");
}

/// The backward of the later layer may read it, and would compute the earlier layer again.
TEST_F(MemoryRulesTest, AnEndThatThePolicySavesStaysSavedWhereARuleSavesTheNextLayer) {
    tag_layers({{"memory_policy", "full"}});
    EXPECT_EQ(tag("act0"), "MUST_SAVE");
    EXPECT_EQ(tag("mm1"), "MUST_RECOMPUTE");
    tag_layers({{"memory_policy", "full"}, {"rules", "save layers.1"}});
    EXPECT_EQ(tag("act0"), "MUST_SAVE");
    EXPECT_EQ(tag("mm1"), "MUST_SAVE");
}

TEST_F(MemoryRulesTest, OffloadTakesWhatThePolicySavesOrAnOperatorNames) {
    tag_layers({{"rules", "offload layers.0"}});
    EXPECT_EQ(tag("mm0"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("act0"), "PREFER_RECOMPUTE");
    tag_layers({{"rules", "offload layers.0 :: aten.sigmoid.default"}});
    EXPECT_EQ(tag("mm0"), "MUST_SAVE");
    EXPECT_EQ(tag("act0"), "MUST_CPU_OFFLOAD");
}

TEST_F(MemoryRulesTest, ThePolicyOffloadsNothingThatARuleDecides) {
    tag_layers({{"memory_policy", "sac_and_offload"}});
    EXPECT_EQ(tag("mm0"), "MUST_CPU_OFFLOAD");
    tag_layers({{"memory_policy", "sac_and_offload"}, {"rules", "save layers.0"}});
    EXPECT_EQ(tag("mm0"), "MUST_SAVE");
    // What rules offload uses up the budget of the policy.
    tag_layers({{"memory_policy", "sac_and_offload"}, {"cpu_offload_budget_gb", 1e-6}, {"rules", "offload layers.1"}});
    EXPECT_EQ(tag("mm0"), "MUST_SAVE");
    EXPECT_EQ(tag("mm1"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(problem_kinds(), Names({"memory_tags", "offload_budget_exceeded"}));
}

TEST_F(MemoryRulesTest, RulesThatDoNothingAreTold) {
    tag_layers(
        {{"rules", "save layers.9 | recompute layers.0 :: aten.nm.default | keep norm | save layers.0 | recompute *"}});
    EXPECT_EQ(problem_kinds(), Names({"memory_tags", "memory_rule_unmatched", "memory_rule_unmatched",
                                      "memory_rule_unmatched", "memory_rule_void"}));
    EXPECT_EQ(message(1),
              "memory rule 1 (save layers.9): \"layers.9\" matches no module; nearest: layers.0, layers.1, layers");
    EXPECT_NE(message(2).find("matches no operator of the graph; nearest: aten.mm.default"), std::string::npos);
    EXPECT_NE(message(4).find("the last of them is rule 5"), std::string::npos);
    EXPECT_EQ(result_.report.problems[4].memory_rule, 3);
}

TEST_F(MemoryRulesTest, WhatCannotBeOffloadedIsTold) {
    tag_layers({{"rules", "offload layers.0 :: aten.mm.default | recompute layers.1"}});
    EXPECT_EQ(problem_kinds(), Names({"memory_tags"}));
    builder_ = GraphBuilder();
    const NodeId x = placeholder("x", {8});
    const NodeId small = node("small", "aten.mm.default", {x}, in("layers.0"), {8});
    const NodeId drawn = node("drawn", "aten.native_dropout.default", {x}, in("layers.0"));
    output({node("end", "aten.add.Tensor", {small, drawn}, backward_in("layers.0"))});
    run(tag_pass,
        {{"rules", "offload layers.0 :: aten.mm.default | recompute layers.0 :: aten.native_dropout.default"}});
    EXPECT_EQ(problem_kinds(), Names({"memory_tags", "not_offloadable", "not_recomputable"}));
    EXPECT_EQ(result_.report.problems[1].nodes, Names({"small"}));
    EXPECT_EQ(tag("small"), "MUST_SAVE");
    EXPECT_EQ(tag("drawn"), "PREFER_RECOMPUTE");
}

TEST_F(MemoryRulesTest, UnreadableRulesAreRefused) {
    two_layers();
    EXPECT_NE(refusal(tag_pass, {{"rules", "hold layers.0"}}).find("there is no action \"hold\""), std::string::npos);
}

}  // namespace
}  // namespace overlap
