// What exports of a plan alone say for each step, and what they say that they leave out.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/exports/export_format.h"
#include "core/passes/registry/registry.h"

namespace overlap {
namespace {

PassStep step_of(std::string pass, const std::vector<std::pair<std::string, OptionValue>>& options = {}) {
    PassStep step;
    step.pass = std::move(pass);
    for (const auto& [name, value] : options) step.options[name] = value;
    return step;
}

ExportOutput exported(const std::string& format, std::vector<PassStep> steps, Plan plan = {}) {
    plan.pipeline = std::move(steps);
    return write_export(require_export_format(format), {plan, nullptr, nullptr, "test", ""});
}

std::string refusal_of(const std::string& format, std::vector<PassStep> steps, Plan plan = {}) {
    try {
        exported(format, std::move(steps), std::move(plan));
    } catch (const InputError& error) {
        return error.what();
    }
    return "exported";
}

bool holds(const ExportOutput& output, std::string_view words) {
    return output.bytes.find(words) != std::string::npos;
}
bool told(const ExportOutput& output, std::string_view words) {
    return std::ranges::find(output.notes, words) != output.notes.end();
}

TEST(InductorSettings, StandAloneBucketingHasModeAndSize) {
    const ExportOutput usual = exported("inductor", {step_of("bucket_all_gather"), step_of("bucket_all_reduce")});
    EXPECT_TRUE(holds(usual, "\"bucket_all_gathers_fx\": \"all\"")) << usual.bytes;
    EXPECT_TRUE(holds(usual, "\"bucket_all_gathers_bucket_mode\": \"default\"")) << usual.bytes;
    EXPECT_FALSE(holds(usual, "size_determinator")) << usual.bytes;
    const ExportOutput given = exported(
        "inductor", {step_of("bucket_reduce_scatter", {{"mode", std::string("custom_ops")}, {"bucket_cap_mb", 64.0}})});
    EXPECT_TRUE(holds(given, "\"bucket_reduce_scatters_bucket_mode\": \"custom_ops\"")) << given.bytes;
    EXPECT_TRUE(holds(given, "\"bucket_reduce_scatters_fx_bucket_size_determinator\": lambda bucket_index: 64.0"))
        << given.bytes;
    const ExportOutput unset = exported(
        "inductor", {step_of("bucket_all_gather", {{"mode", std::string()}, {"bucket_cap_mb", std::monostate()}})});
    EXPECT_TRUE(holds(unset, "\"bucket_all_gathers_bucket_mode\": \"default\"")) << unset.bytes;
    EXPECT_FALSE(holds(unset, "size_determinator")) << unset.bytes;
}

TEST(InductorSettings, AllReducesHaveOneWay) {
    const std::string note =
        "Inductor has no setting for the option mode of bucket_all_reduce, which has one way alone";
    EXPECT_FALSE(told(exported("inductor", {step_of("bucket_all_reduce")}), note));
    EXPECT_TRUE(
        told(exported("inductor", {step_of("bucket_all_reduce", {{"mode", std::string("custom_ops")}})}), note));
}

TEST(InductorSettings, OrderAndNumberOfStepsAreInductors) {
    const ExportOutput output = exported(
        "inductor", {step_of("bucket_all_gather"), step_of("bucket_reduce_scatter"), step_of("bucket_all_gather"),
                     step_of("stable_topological_sort"), step_of("joint_transformer_block_bucketing_reordering_pass")});
    EXPECT_TRUE(told(output,
                     "Inductor runs bucket_reduce_scatter before bucket_all_gather, whatever the order of the plan's "
                     "steps"))
        << testing::PrintToString(output.notes);
    EXPECT_TRUE(told(output, "Inductor runs bucket_all_gather once, so the plan's further step of it was left out"));
    EXPECT_TRUE(told(output,
                     "Inductor has no settings for the step joint_transformer_block_bucketing_reordering_pass, so it "
                     "was left out"));
    EXPECT_EQ(refusal_of("inductor", {step_of("stable_topological_sort")}),
              "pipeline: no step is one that Inductor's settings know: schedule_overlap_bucketing, bucket_all_gather, "
              "bucket_reduce_scatter or bucket_all_reduce");
}

TEST(InductorSettings, TheSchedulersOptionsAreWrittenOrTold) {
    const ExportOutput usual = exported("inductor", {step_of("schedule_overlap_bucketing")});
    EXPECT_TRUE(holds(usual, "\"aten_distributed_optimizations.enable_overlap_scheduling\": True")) << usual.bytes;
    EXPECT_TRUE(holds(usual, "\"aten_distributed_optimizations.collective_bucketing\": ")) << usual.bytes;
    EXPECT_FALSE(holds(usual, "max_off_bucket_gb"));
    const std::string loose =
        "insert_overlap_deps is off, as in the plan: nothing then keeps Inductor's own scheduling "
        "(reorder_for_peak_memory, enable_simple_overlap) from moving collectives afterwards";
    const ExportOutput given =
        exported("inductor", {step_of("schedule_overlap_bucketing", {{"insert_overlap_deps", true},
                                                                     {"max_off_bucket_gb", 2.5},
                                                                     {"max_in_flight_gb", std::monostate()},
                                                                     {"pge_profile_path", std::string("p.json")}})});
    EXPECT_FALSE(told(given, loose));
    EXPECT_TRUE(
        told(exported("inductor", {step_of("schedule_overlap_bucketing", {{"insert_overlap_deps", false}})}), loose));
    EXPECT_TRUE(holds(given, "\"aten_distributed_optimizations.profile_guided_estimations_profile_path\": \"p.json\""))
        << given.bytes;
    const auto none = [&](std::string_view beginning) {
        return std::ranges::none_of(given.notes, [&](const std::string& note) { return note.starts_with(beginning); });
    };
    EXPECT_FALSE(
        none("Inductor has no setting for the option max_off_bucket_gb with the value 2.5, so the job runs "
             "with "))
        << testing::PrintToString(given.notes);
    EXPECT_FALSE(
        none("Inductor has no setting for the option max_in_flight_gb with the value None, so the job runs "
             "with "))
        << testing::PrintToString(given.notes);
}

TEST(InductorSettings, CopyEnginesHaveAllTheirOptions) {
    const ExportOutput output =
        exported("inductor",
                 {step_of("replace_collectives_with_low_contention", {{"low_contention_skip_overlap_check", true}})});
    EXPECT_TRUE(holds(output, "\"aten_distributed_optimizations.enable_low_contention_collectives\": True"));
    EXPECT_TRUE(holds(output, "\"aten_distributed_optimizations.low_contention_skip_overlap_check\": True"))
        << output.bytes;
    EXPECT_TRUE(holds(output, "\"aten_distributed_optimizations.low_contention_min_bytes_per_rank\": "));
}

TEST(GraphTrainer, WritesOptionsAsItsPassesTakeThem) {
    const ExportOutput pre_bucket =
        exported("graph_trainer", {step_of("pre_bucket_fsdp_collectives", {{"bucket_cap_mb", 12.0}})});
    EXPECT_TRUE(holds(pre_bucket, "\"bucket_cap_mb\": 12.0")) << pre_bucket.bytes;
    const std::string gathers = "bucket_all_gather";
    const ExportOutput capped = exported("graph_trainer", {step_of(gathers, {{"bucket_cap_mb", 12.0}})});
    EXPECT_TRUE(holds(capped, "\"bucket_cap_mb_by_bucket_idx\": constant_cap(12.0)")) << capped.bytes;
    const ExportOutput uncapped = exported("graph_trainer", {step_of(gathers, {{"bucket_cap_mb", std::monostate()}})});
    EXPECT_FALSE(holds(uncapped, "bucket_cap_mb_by_bucket_idx\": ")) << uncapped.bytes;
}

TEST(GraphTrainer, AJobHasEachPass) {
    for (const Pass* pass : all_passes())
        EXPECT_EQ(refusal_of("graph_trainer", {step_of(std::string(pass->name()))}), "exported") << pass->name();
}

TEST(GraphTrainer, APassUnderItsFormerNameIsTheJobsPass) {
    const ExportOutput output = exported("graph_trainer", {step_of("overlap_fsdp_ag_rs_pass")});
    EXPECT_EQ(output.bytes, exported("graph_trainer", {step_of("reassign_collective_pgs_pass")}).bytes);
}

TEST(GraphTrainer, RulesOfModulesAreRefusedWhereAStepNeedsThem) {
    Plan plan;
    ModuleRule rule;
    rule.kind = ModuleRule::Kind::nodes;
    rule.nodes = {"mm"};
    rule.module = "head";
    plan.module_rules = {rule};
    const std::string blocks = "joint_transformer_block_bucketing_reordering_pass";
    EXPECT_EQ(refusal_of("graph_trainer", {step_of(blocks)}, plan),
              "module_rules: the plan gives nodes their modules by rules, which the graph trainer's own graph would "
              "lack, so that " +
                  blocks + " finds nothing there; export the plan to job, which carries them");
    EXPECT_EQ(refusal_of("graph_trainer", {step_of("stable_topological_sort")}, plan), "exported");
    EXPECT_EQ(refusal_of("graph_trainer", {step_of(blocks)}), "exported");
}

TEST(Exports, EachPartThatIsLeftOutIsNamed) {
    Plan plan;
    plan.extra = {{"colour", "\"red\""}};
    DeviceOrder order;
    order.parameters = "*";
    order.mesh = {"3"};
    order.order = "S(0)";
    plan.device_orders = {order};
    plan.process_groups.emplace_back();
    for (const auto& [format, reader] :
         {std::pair("inductor", "Inductor"), std::pair("graph_trainer", "graph_trainer")}) {
        const ExportOutput output = exported(format, {step_of("schedule_overlap_bucketing")}, plan);
        for (const std::string part : {"the device order \"*\" stored as S(0) on process group \"3\"",
                                       "the field \"process_groups\"", "the field \"colour\""}) {
            EXPECT_TRUE(told(output, part + " of the plan cannot be given to " + reader + " and was left out"))
                << testing::PrintToString(output.notes);
        }
    }
}

TEST(Exports, WhatNeedsAResultIsRefusedWithoutOne) {
    EXPECT_EQ(refusal_of("job", {}), "the format job is made from the graph with the plan applied");
    EXPECT_EQ(refusal_of("fsdp2", {}), "the format fsdp2 is made from the graph with the plan applied");
    EXPECT_EQ(refusal_of("plan", {}), "exported");
}

}  // namespace
}  // namespace overlap
