#include "core/plan/group_passes.h"

#include <gtest/gtest.h>

#include "core/graph/graph_builder.h"
#include "core/passes/registry/registry.h"
#include "core/plan/plan.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::vector<PassStep> steps(std::initializer_list<const char*> passes) {
    std::vector<PassStep> result;
    for (const char* pass : passes) result.push_back({pass});
    return result;
}

TEST(GroupPasses, ComeBeforeBucketingAndIsolatingFirst) {
    const auto bucketing = steps({"eliminate_dead_code_pass", "manual_overlap_bucketing"});
    EXPECT_EQ(group_pass_position(bucketing, isolate_expert_group_pass), 1u);
    EXPECT_EQ(group_pass_position(bucketing, reassign_groups_pass), 1u);
    const auto reassigned = steps({"canonicalize_graph_pass", "reassign_collective_pgs_pass",
                                   "joint_transformer_block_bucketing_reordering_pass"});
    EXPECT_EQ(group_pass_position(reassigned, isolate_expert_group_pass), 1u);
    const auto isolated = steps({"isolate_ep_process_group_pass", "eliminate_dead_code_pass",
                                 "schedule_fsdp_comms_to_dense_regions_pass", "manual_overlap_bucketing"});
    EXPECT_EQ(group_pass_position(isolated, reassign_groups_pass), 2u);
    EXPECT_EQ(group_pass_position(steps({"overlap_fsdp_ag_rs_pass"}), isolate_expert_group_pass), 0u);
    EXPECT_EQ(group_pass_position({}, isolate_expert_group_pass), 0u);
    EXPECT_EQ(group_pass_position(steps({"eliminate_dead_code_pass", "schedule_overlap_bucketing"}),
                                  isolate_expert_group_pass),
              1u);
    EXPECT_EQ(group_pass_position(steps({"pre_bucket_fsdp_collectives"}), reassign_groups_pass), 0u);
}

TEST(GroupPasses, AStepThatStandsTooLateMovesAndOneThatStandsRightStays) {
    const auto put = [](std::vector<PassStep> pipeline, std::string_view pass) {
        for (PassStep& step : pipeline) step.enabled = !is_group_pass(step.pass, pass);
        put_group_pass(pipeline, pass);
        for (const PassStep& step : pipeline) EXPECT_TRUE(step.enabled) << step.pass;
        return pass_names(pipeline);
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(put(steps({"schedule_overlap_bucketing", "isolate_ep_process_group_pass"}), isolate_expert_group_pass),
              Names({"isolate_ep_process_group_pass", "schedule_overlap_bucketing"}));
    EXPECT_EQ(put(steps({"overlap_fsdp_ag_rs_pass", "isolate_ep_process_group_pass", "manual_overlap_bucketing"}),
                  reassign_groups_pass),
              Names({"isolate_ep_process_group_pass", "overlap_fsdp_ag_rs_pass", "manual_overlap_bucketing"}));
    const Names right = {"isolate_ep_process_group_pass", "eliminate_dead_code_pass", "manual_overlap_bucketing"};
    EXPECT_EQ(put(steps({"isolate_ep_process_group_pass", "eliminate_dead_code_pass", "manual_overlap_bucketing"}),
                  isolate_expert_group_pass),
              right);
}

TEST(GroupPasses, ASharedGroupCanBeIsolated) {
    const auto graph =
        test_graph("deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass");
    EXPECT_EQ(group_pass_obstacle(graph, isolate_expert_group_pass), "");
    EXPECT_EQ(group_pass_obstacle(graph, reassign_groups_pass), "");
}

TEST(GroupPasses, AnUnsharedGroupNeedsNone) {
    EXPECT_EQ(group_pass_obstacle(test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket"), isolate_expert_group_pass),
              "The all-to-alls share their queue with nothing else: process group \"69\" (mesh_ep) is theirs alone");
}

TEST(GroupPasses, WithoutExpertsThereIsNothingToIsolate) {
    EXPECT_EQ(group_pass_obstacle(test_graph("llama3_debugmodel_fsdp8.prebucket"), isolate_expert_group_pass),
              "The graph has no all-to-all, so there is no expert parallelism to isolate");
}

TEST(GroupPasses, WhatHasBeenReassignedIsNotReassignedAgain) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto reassigned = require_pass(reassign_groups_pass).run(graph, {}, {}).graph;
    EXPECT_EQ(group_pass_obstacle(graph, reassign_groups_pass), "");
    EXPECT_NE(group_pass_obstacle(reassigned, reassign_groups_pass).find("have a group of their own already"),
              std::string::npos);
}

TEST(GroupPasses, BucketedGathersAreTooLate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "");
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph)), graph.get());
    const PassStep step = lower(plan).front();
    const auto bucketed = require_pass(step.pass).run(graph, step.options, {}).graph;
    EXPECT_EQ(group_pass_obstacle(bucketed, reassign_groups_pass).substr(0, 10), "Too late: ");
}

/// Gathers of what is computed, on three groups.
TEST(GroupPasses, GroupsAreEnumerated) {
    GraphBuilder builder;
    GraphHeader header;
    const std::int64_t sizes[] = {4};
    const TensorMeta tensor = builder.contiguous_tensor(*dtype_by_name("float32"), sizes);
    const auto call = [&](std::string_view name, std::string_view target, std::vector<Value> arguments) {
        return builder.call(name, target, arguments, {&tensor, 1});
    };
    const NodeId made = call("made", "aten.full.default", {});
    for (const char* group : {"0", "1", "2"}) {
        header.process_groups.emplace_back().name = group;
        header.process_groups.back().ranks = {0, 1};
        const std::string gather = std::string("gather_").append(group);
        const NodeId started = call(gather, "_c10d_functional.all_gather_into_tensor.default",
                                    {Value::of_node(made), Value::of_integer(2), builder.string(group)});
        call("waited_" + gather, "_c10d_functional.wait_tensor.default", {Value::of_node(started)});
    }
    header.process_groups[2].description = "mesh_dp";
    builder.output({});
    EXPECT_EQ(group_pass_obstacle(std::make_shared<const Graph>(builder.finish(header)), reassign_groups_pass),
              "None of the all-gathers on process group \"0\", \"1\" and \"2\" (mesh_dp) gathers a parameter");
}

}  // namespace
}  // namespace overlap
