// What mends a plan that a pass refuses, and is found by running it.

#include "core/pipeline/remedies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>

#include "core/plan/memory_section.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class RemediesTest : public testing::Test {
  protected:
    /// The plan of a preset of the graph.
    void open(const std::string& graph, std::size_t number = 0) {
        graph_ = test_graph(graph);
        const PipelinePreset preset = pipeline_presets(*graph_)[number];
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
    EXPECT_EQ(mended_by(), "switch off the 2 steps whose passes are not known");
}

TEST_F(RemediesTest, APassIsCalledWhatWasMeant) {
    open("llama3_debugmodel_fsdp8.prebucket");
    plan_.pipeline = {PassStep{"manual_overlap_bucketin"}};
    EXPECT_EQ(mended_by(), "take manual_overlap_bucketing in place of manual_overlap_bucketin");
}

TEST_F(RemediesTest, AnOptionIsSetToWhatTheGraphNeeds) {
    open(graph_with_experts);
    const Plan before = plan_;
    step("ep_overlap_chunk_pass").options["mode"] = std::string("seq");
    EXPECT_EQ(mended_by(), "set mode of ep_overlap_chunk_pass to batch");
    EXPECT_EQ(mended_.pipeline, before.pipeline);
    plan_ = before;
    step("ep_overlap_chunk_pass").options["module_pattern"] = std::string("x");
    EXPECT_TRUE(mended_by().starts_with("set module_pattern of ep_overlap_chunk_pass to ")) << mended_by();
    EXPECT_EQ(mended_.pipeline, before.pipeline);
}

TEST_F(RemediesTest, AStepThatIsMissingIsPutInPlace) {
    open(graph_with_experts);
    const std::vector<PassStep> before = plan_.pipeline;
    std::erase_if(plan_.pipeline, [](const PassStep& step) { return step.pass == "ep_overlap_chunk_pass"; });
    EXPECT_EQ(mended_by(), "put ep_overlap_chunk_pass before isolate_ep_process_group_pass");
    const PassStep& put = *std::ranges::find(mended_.pipeline, "ep_overlap_chunk_pass", &PassStep::pass);
    EXPECT_EQ(put, *std::ranges::find(before, "ep_overlap_chunk_pass", &PassStep::pass));
}

TEST_F(RemediesTest, ABucketOfSeveralBlocksIsSplit) {
    open("llama3_debugmodel_fsdp8.prebucket", 1);
    const std::vector<BucketEntry> before = plan_.buckets;
    plan_.buckets = edits::merge(plan_.buckets, {1, 2});
    EXPECT_EQ(mended_by(), "split the bucket " + display_name(plan_.buckets[1]));
    EXPECT_EQ(mended_.buckets, before);
}

TEST_F(RemediesTest, BlocksAreCounted) {
    open("llama3_debugmodel_fsdp8.prebucket", 1);
    step("schedule_fsdp_comms_to_dense_regions_pass").options["n_layers"] = std::int64_t{2};
    EXPECT_EQ(mended_by(), "set n_layers of schedule_fsdp_comms_to_dense_regions_pass to 6");
}

TEST_F(RemediesTest, NodesAreOrderedAgain) {
    open("llama3_debugmodel_fsdp8");
    plan_.pipeline.insert(plan_.pipeline.begin(), PassStep{"bucket_all_gather"});
    EXPECT_EQ(mended_by(), "put stable_topological_sort before eliminate_dead_code_pass");
}

/// The step that refuses is needed, and another has left it a graph that it cannot take.
TEST_F(RemediesTest, AnotherStepIsDoneWithout) {
    open(graph_with_experts);
    plan_.pipeline.insert(plan_.pipeline.begin(), suggested_step(*graph_, "bucket_reduce_scatter"));
    EXPECT_EQ(mended_by(), "switch off bucket_reduce_scatter");
}

/// To compute outputs again before any is tagged for it would mend the plan, and nobody would see that it does nothing.
TEST_F(RemediesTest, AStepThatDoesNothingIsSwitchedOff) {
    open("llama3_debugmodel_fsdp8");
    plan_.pipeline.insert(plan_.pipeline.begin(), suggested_step(*graph_, "manual_overlap_bucketing"));
    EXPECT_EQ(mended_by(), "switch off selective_activation_remat_pass");
}

TEST_F(RemediesTest, AMemoryPolicyIsCalledWhatWasMeant) {
    open("llama3_debugmodel_fsdp8");
    plan_.memory.emplace();
    plan_.memory->policy = "ful";
    EXPECT_EQ(mended_by(), "take the memory policy full");
    EXPECT_EQ(mended_.memory->policy, "full");
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
