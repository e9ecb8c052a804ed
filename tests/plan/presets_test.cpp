#include "core/plan/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/graph/graph_builder.h"
#include "core/io/plan/option_json.h"
#include "core/passes/registry/registry.h"
#include "core/pipeline/evaluation.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

bool notes(const PipelinePreset& preset, std::string_view words) {
    return std::ranges::any_of(preset.notes, [&](const Problem& note) {
        return note.severity == Severity::note && note.message.find(words) != std::string::npos;
    });
}

const PassStep& step(const PipelinePreset& preset, std::string_view pass) {
    return *std::ranges::find(preset.steps, pass, &PassStep::pass);
}

TEST(Presets, OfAJointGraphAreTorchtitansList) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const std::vector<PipelinePreset> presets = pipeline_presets(*graph);
    ASSERT_EQ(presets.size(), 2u);
    EXPECT_EQ(presets[0].title, "torchtitan default");
    EXPECT_EQ(pass_names(presets[0].steps),
              Names({"eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
                     "tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass",
                     "joint_transformer_block_bucketing_reordering_pass"}));
    EXPECT_EQ(presets[1].title, "torchtitan performance");
    EXPECT_EQ(pass_names(presets[1].steps),
              Names({"eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
                     "tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass",
                     "reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                     "schedule_fsdp_comms_to_dense_regions_pass"}));
    EXPECT_TRUE(notes(presets[1], "exchanges no tokens"));
    EXPECT_EQ(presets[0].buckets.size(), 8u);
}

TEST(Presets, WithoutModulesSayThatNothingIsBucketed) {
    GraphBuilder builder;
    builder.output({});
    for (const PipelinePreset& preset : pipeline_presets(builder.finish({}))) {
        EXPECT_TRUE(preset.buckets.empty());
        EXPECT_EQ(std::ranges::count(preset.notes, ProblemKind::no_modules, &Problem::kind), 1) << preset.name;
    }
}

TEST(Presets, BehindRematerialisationGoOnFromThere) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const std::vector<PipelinePreset> presets = pipeline_presets(*graph);
    EXPECT_EQ(pass_names(presets[0].steps), Names({"joint_transformer_block_bucketing_reordering_pass"}));
    EXPECT_TRUE(notes(presets[0], "they have been run already"));
    EXPECT_EQ(pass_names(presets[1].steps),
              Names({"reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                     "schedule_fsdp_comms_to_dense_regions_pass"}));
}

TEST(Presets, DoNotBucketAgain) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const PipelinePreset preset = pipeline_presets(*graph).front();
    const auto bucketed = evaluate(graph, plan_of(preset, *graph, "Plan A"))->graph;
    EXPECT_TRUE(pipeline_presets(*bucketed).front().steps.empty());
    EXPECT_TRUE(notes(pipeline_presets(*bucketed).front(), "has been bucketed already"));
}

TEST(Presets, OfExpertParallelismIsolateTheExchange) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const PipelinePreset performance = pipeline_presets(*graph).at(1);
    const Names names = pass_names(performance.steps);
    const auto place = [&](std::string_view pass) { return std::ranges::find(names, pass) - names.begin(); };
    EXPECT_LT(place("isolate_ep_process_group_pass"), place("reassign_collective_pgs_pass"));
    EXPECT_LT(place("reassign_collective_pgs_pass"), place("joint_transformer_block_bucketing_reordering_pass"));
    EXPECT_TRUE(notes(performance, "ep_overlap_chunk_pass"));
    EXPECT_TRUE(notes(performance, "ep_overlap_schedule_pass"));
    const Json options = options_json(step(performance, "schedule_fsdp_comms_to_dense_regions_pass").options);
    EXPECT_EQ(options["n_layers"], 6);
    EXPECT_EQ(options["moe_layer_ids"], Json::parse("[1, 2, 3, 4, 5]"));
}

TEST(Presets, HalveModulesWhereTheJobTracedForIt) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    const PipelinePreset performance = pipeline_presets(*graph).at(1);
    const Names names = pass_names(performance.steps);
    EXPECT_EQ(names, Names({"populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass",
                            "isolate_ep_process_group_pass", "eliminate_dead_code_pass", "reassign_collective_pgs_pass",
                            "joint_transformer_block_bucketing_reordering_pass", "ep_overlap_schedule_pass",
                            "concretize_ep_chunk_symbolic_shapes_pass"}));
    EXPECT_TRUE(notes(performance, "compile.ep_overlap.module_fqn"));
    // The default of a job that traced for it overlaps experts too, but makes no group for gathers.
    Names by_default = names;
    std::erase(by_default, "reassign_collective_pgs_pass");
    EXPECT_EQ(pass_names(pipeline_presets(*graph).at(0).steps), by_default);
}

TEST(Presets, OrderTheHalvesThatAPassHasMade) {
    const auto graph =
        test_graph("deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass");
    const PipelinePreset performance = pipeline_presets(*graph).at(1);
    EXPECT_EQ(pass_names(performance.steps),
              Names({"isolate_ep_process_group_pass", "eliminate_dead_code_pass", "reassign_collective_pgs_pass",
                     "joint_transformer_block_bucketing_reordering_pass", "ep_overlap_schedule_pass",
                     "concretize_ep_chunk_symbolic_shapes_pass", "schedule_fsdp_comms_to_dense_regions_pass"}));
    const Json options = options_json(step(performance, "ep_overlap_schedule_pass").options);
    EXPECT_EQ(options["module_pattern"], "layers.*.moe");
    EXPECT_EQ(options["pair_first_token_exchange"], true);
}

TEST(Presets, PackInTheOrderOfTheParameters) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const PipelinePreset preset = pipeline_presets(*graph).front();
    const Json order = options_json(step(preset, "joint_transformer_block_bucketing_reordering_pass").options)
                           .at("fsdp_param_module_order");
    EXPECT_EQ(order.size(), 84u);
    EXPECT_EQ(order["tok_embeddings"], 0);
    EXPECT_EQ(order["layers.0.attention.wq"], 1);
    EXPECT_EQ(order["layers.0.attention_norm"], 6);
}

TEST(Presets, OfAForwardGraphAreTheCompileModes) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const PipelinePreset preset = pipeline_presets(*graph).front();
    EXPECT_EQ(pass_names(preset.steps), Names({"transformer_block_bucketing_reordering_pass"}));
    ASSERT_GE(preset.buckets.size(), 3u);
    EXPECT_EQ(preset.buckets[0].modules, Names({"tok_embeddings"}));
    EXPECT_EQ(preset.buckets[1].modules, Names({"norm", "lm_head"}));
    EXPECT_EQ(preset.buckets[2].modules, Names({"layers.0"}));
}

TEST(Presets, LeaveOutDenseRegionsWhereTorchtitanWouldRaise) {
    const PipelinePreset preset = pipeline_presets(*test_graph("llama3_debugmodel_fsdp4_tp2.prebucket")).at(1);
    EXPECT_EQ(preset.steps.back().pass, "joint_transformer_block_bucketing_reordering_pass");
    EXPECT_TRUE(notes(preset, "tensor parallelism"));
}

TEST(Presets, RunOnEveryGraph) {
    for (const char* name :
         {"llama3_debugmodel_fsdp8", "llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket",
          "deepseek_v3_debugmodel_fsdp8_ep4.prebucket", "llama3_debugmodel_fsdp8_aot_fw",
          "llama3_debugmodel_fsdp8_aot_bw", "llama3_debugmodel_fsdp8_aot_reshard_bw", "llama3_8b_fsdp64.prebucket"}) {
        const auto graph = test_graph(name);
        for (const PipelinePreset& preset : pipeline_presets(*graph)) {
            SCOPED_TRACE(std::string(name) + ", " + preset.title);
            const auto evaluation = evaluate(graph, plan_of(preset, *graph, preset.title));
            EXPECT_FALSE(evaluation->refused)
                << (evaluation->problems.empty() ? "" : evaluation->problems.back().message);
            EXPECT_EQ(evaluation->reports.size(), preset.steps.size());
        }
    }
}

TEST(Presets, SuggestStepsThatFitTheGraph) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    EXPECT_EQ(*suggested_step(*graph, "manual_overlap_bucketing").options.find("module_stack_fn"),
              OptionValue("custom.module_fqn"));
    const PipelinePreset performance = pipeline_presets(*graph).at(1);
    for (const PassStep& step : performance.steps) EXPECT_EQ(suggested_step(*graph, step.pass), step);
    for (const Pass* pass : all_passes()) {
        const PassStep step = suggested_step(*graph, pass->name());
        EXPECT_EQ(step.pass, pass->name());
        EXPECT_NO_THROW(check_options(*pass, lower(Plan(), step).options)) << pass->name();
    }
}

TEST(Presets, HaveNamesAndSayWhatTheyAre) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const std::vector<PipelinePreset> presets = pipeline_presets(*graph);
    EXPECT_EQ(presets[0].name, "torchtitan_default");
    EXPECT_EQ(presets[1].name, "torchtitan_performance");
    EXPECT_TRUE(presets[0].help.starts_with("What torchtitan runs")) << presets[0].help;
    EXPECT_TRUE(presets[1].help.starts_with("The default, and everything")) << presets[1].help;
    EXPECT_EQ(plan_of(presets[0], *graph, "Plan B").name, "Plan B");
}

TEST(Presets, SayWhatTheyLeaveOutAndWhy) {
    const auto starts = [](const PipelinePreset& preset, std::string_view words) {
        return std::ranges::any_of(preset.notes, [&](const Problem& note) { return note.message.starts_with(words); });
    };
    const auto forward = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    EXPECT_TRUE(starts(pipeline_presets(*forward).at(1),
                       "reassign_collective_pgs_pass, schedule_fsdp_comms_to_dense_regions_pass: torchtitan runs"));
    EXPECT_TRUE(pipeline_presets(*forward).at(0).notes.empty());
    const auto rematerialised = test_graph("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_TRUE(starts(pipeline_presets(*rematerialised).at(0),
                       "eliminate_dead_code_pass, canonicalize_graph_pass, deduplicate_fsdp_unshard_chains_pass, "));
    const auto tensor_parallel = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    EXPECT_TRUE(
        starts(pipeline_presets(*tensor_parallel).at(0), "async_tensor_parallel_pass: torchtitan runs it last"));
}

}  // namespace
}  // namespace overlap
