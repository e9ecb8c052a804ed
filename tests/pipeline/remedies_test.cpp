// What mends a plan that a pass refuses, and is found by running it.

#include "core/pipeline/remedies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>

#include "core/plan/memory_section.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class RemediesTest : public testing::Test {
  protected:
    /// The plan of the graph's first preset.
    void open(const std::string& graph) {
        graph_ = test_graph(graph);
        const PipelinePreset preset = pipeline_presets(*graph_).front();
        plan_ = plan_of(preset, *graph_, preset.title);
    }
    PassStep& step(std::string_view pass) { return *std::ranges::find(plan_.pipeline, pass, &PassStep::pass); }
    void move_before(std::string_view pass, std::string_view other) {
        const PassStep moved = step(pass);
        std::erase(plan_.pipeline, moved);
        plan_.pipeline.insert(std::ranges::find(plan_.pipeline, other, &PassStep::pass), moved);
    }
    /// What mends the plan, which is refused; empty where nothing does.
    std::string mended_by() {
        const auto refused = evaluate(graph_, plan_);
        EXPECT_TRUE(refused->refused);
        const std::optional<Remedy> remedy = find_remedy(plan_, *refused);
        if (!remedy) return {};
        EXPECT_FALSE(evaluate(graph_, remedy->plan)->refused) << remedy->label;
        mended_ = remedy->plan;
        return remedy->label;
    }

    std::shared_ptr<const Graph> graph_;
    Plan plan_, mended_;
};

constexpr const char* graph_with_experts = "deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket";

TEST_F(RemediesTest, AnOptionThatIsNamedIsReset) {
    open("llama3_debugmodel_fsdp8");
    const Plan before = plan_;
    step("tag_with_memory_policy_pass").options["full_recompute_save_ops"] = std::string("aten.mm.default");
    EXPECT_EQ(mended_by(), "reset full_recompute_save_ops of tag_with_memory_policy_pass");
    EXPECT_EQ(mended_.pipeline, before.pipeline);
}

TEST_F(RemediesTest, WhatAStepNeedsIsSwitchedOn) {
    open(graph_with_experts);
    step("ep_overlap_chunk_pass").enabled = false;
    EXPECT_EQ(mended_by(), "switch on ep_overlap_chunk_pass");
}

TEST_F(RemediesTest, AStepGoesToItsPlace) {
    open(graph_with_experts);
    move_before("ep_overlap_schedule_pass", "ep_overlap_chunk_pass");
    EXPECT_EQ(mended_by(), "move ep_overlap_schedule_pass behind ep_overlap_chunk_pass");
}

TEST_F(RemediesTest, AStepIsDoneWithout) {
    open("llama3_debugmodel_fsdp8.prebucket");
    plan_.pipeline = {PassStep{"no_such_pass"}};
    EXPECT_EQ(mended_by(), "switch off no_such_pass");
    plan_.pipeline = {PassStep{"stable_topological_sort"}, PassStep{"no_such_pass"}, PassStep{"no_such_pass"}};
    EXPECT_EQ(mended_by(), "") << "two are refused";
}

TEST_F(RemediesTest, MemorySettingsAreTakenOut) {
    open("llama3_debugmodel_fsdp8.prebucket");
    plan_.memory.emplace();
    plan_.memory->policy = "full";
    EXPECT_EQ(mended_by(), "take the memory settings out");
    EXPECT_FALSE(mended_.memory);
}

TEST_F(RemediesTest, MemoryPassesGoWithTheirSettings) {
    open("llama3_debugmodel_fsdp8");
    const auto carries_it_out = [](const PassStep& step) { return takes_memory_section(step.pass); };
    ASSERT_TRUE(std::ranges::any_of(plan_.pipeline, carries_it_out));
    plan_.memory.emplace();
    plan_.pipeline.push_back(PassStep{"no_such_pass"});
    const std::vector<Remedy> remedies = possible_remedies(plan_, *evaluate(graph_, plan_));
    constexpr std::string_view label = "take the memory settings out, with their passes";
    const auto found = std::ranges::find(remedies, label, &Remedy::label);
    ASSERT_NE(found, remedies.end());
    EXPECT_FALSE(found->plan.memory);
    EXPECT_TRUE(std::ranges::none_of(found->plan.pipeline, carries_it_out));
    EXPECT_EQ(found->plan.pipeline.back(), plan_.pipeline.back());
}

TEST_F(RemediesTest, APlanThatIsNotRefusedNeedsNone) {
    open("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_TRUE(possible_remedies(plan_, *evaluate(graph_, plan_)).empty());
}

TEST_F(RemediesTest, ASearchThatIsStoppedFindsNothing) {
    open(graph_with_experts);
    step("ep_overlap_chunk_pass").enabled = false;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(find_remedy(plan_, *evaluate(graph_, plan_), stop.get_token()));
}

}  // namespace
}  // namespace overlap
