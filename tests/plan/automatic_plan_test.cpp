#include "core/plan/automatic_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/manual_start.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

/// The collectives that a reason with these words names; none where there is no such reason.
Names told(const ManualStart& start, std::string_view words) {
    Names names;
    for (const ManualStart::LeftOut& left_out : start.left_out) {
        if (left_out.sentence.find(words) == std::string::npos) continue;
        names.insert(names.end(), left_out.names.begin(), left_out.names.end());
    }
    return names;
}

TEST(AutomaticPlan, KeepsWhatComesBeforeBucketing) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    Plan own = plan_of(pipeline_presets(*graph).at(1), *graph, "Plan A");
    own.pipeline[1].enabled = false;
    const Plan plan = automatic_plan(own, *graph);
    EXPECT_EQ(plan.name, "Automatic");
    EXPECT_EQ(pass_names(plan.pipeline),
              Names({"eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
                     "tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass",
                     "reassign_collective_pgs_pass", "schedule_overlap_bucketing"}));
    EXPECT_FALSE(plan.pipeline[1].enabled);
    EXPECT_EQ(plan.pipeline.back().options, (Options{{"collective_bucketing", true}}));
    EXPECT_TRUE(plan.buckets.empty());
    EXPECT_EQ(plan.graph, own.graph);
    EXPECT_EQ(automatic_step(plan), 7u);
    EXPECT_EQ(automatic_step(own), own.pipeline.size());
}

TEST(AutomaticPlan, OfAnEmptyOrAnAutomaticPlanIsTheAutomaticPassAlone) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = automatic_plan(Plan(), *graph);
    EXPECT_EQ(pass_names(plan.pipeline), Names({"schedule_overlap_bucketing"}));
    Plan tuned = plan;
    tuned.pipeline[0].options["max_in_flight_gb"] = std::int64_t{1};
    EXPECT_EQ(automatic_plan(tuned, *graph), plan);
}

TEST(AutomaticPlan, BucketsBelongToNoEntry) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = automatic_plan(Plan(), *graph);
    plan.buckets = {{{"layers.0"}}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    ASSERT_FALSE(evaluation->reports.at(0).buckets.empty());
    for (const BucketReport& bucket : evaluation->reports[0].buckets) {
        EXPECT_FALSE(bucket.plan_entry);
        const NodeId start = evaluation->graph->find(bucket.start);
        ASSERT_NE(start, no_node);
        EXPECT_EQ(evaluation->bucket_of_node[start], -1);
    }
}

TEST(AutomaticPlan, EntriesAreTakenByAStepThatIsOnAndHasNoneOfItsOwn) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    EXPECT_TRUE(takes_entries(plan));
    plan.pipeline.at(0).enabled = false;
    EXPECT_FALSE(takes_entries(plan));
    plan.pipeline.push_back({std::string(automatic_pass)});
    EXPECT_FALSE(takes_entries(plan));
    plan.pipeline.at(0).enabled = true;
    plan.pipeline.at(0).options["module_bucket_plans"] = ModuleLists{{{"layers.0"}}};
    EXPECT_FALSE(takes_entries(plan));
    EXPECT_FALSE(takes_entries(Plan()));
}

TEST(AutomaticPlan, EntriesAreTakenByOneStepOfAPlan) {
    const auto names = [](const Plan& plan) {
        Names enabled;
        for (const PassStep& step : plan.pipeline)
            if (step.enabled) enabled.push_back(step.pass);
        return enabled;
    };
    PassStep taking;
    taking.pass = entries_pass;
    Plan plan;
    plan.pipeline = {{"eliminate_dead_code_pass"}, {"bucket_all_gather"}, {std::string(automatic_pass)}};
    const Plan taken = with_entries_taken(plan, taking);
    EXPECT_EQ(names(taken), Names({"eliminate_dead_code_pass", "manual_overlap_bucketing"}));
    EXPECT_EQ(taken.pipeline.size(), 4u);
    EXPECT_EQ(names(with_entries_taken(Plan(), taking)), Names({"manual_overlap_bucketing"}));
    // A step of its own that is switched off, with its options.
    plan.pipeline.push_back({"joint_transformer_block_bucketing_reordering_pass", {}, false});
    EXPECT_EQ(names(with_entries_taken(plan, taking)),
              Names({"eliminate_dead_code_pass", "joint_transformer_block_bucketing_reordering_pass"}));
}

TEST(AutomaticPlan, AStepTakesEntriesInPlaceOfBucketsOfItsOwn) {
    const std::string option = buckets_option(entries_pass);
    const PassStep own{std::string(entries_pass), {{option, ModuleLists{{{"layers.0"}}}}, {"module_stack_fn", "x"}}};
    PassStep off = own, bare{std::string(entries_pass)};
    off.enabled = bare.enabled = false;
    const auto taken_by = [](std::vector<PassStep> steps) {
        Plan plan;
        plan.pipeline = std::move(steps);
        const std::size_t before = plan.pipeline.size();
        const std::size_t step = entries_taker(plan)->step;
        const Plan taken = with_entries_taken(plan, {"never added"});
        EXPECT_TRUE(takes_entries(taken));
        EXPECT_EQ(taken.pipeline.size(), before);
        EXPECT_EQ(taken.pipeline[step].options.contains("module_stack_fn"),
                  plan.pipeline[step].options.contains("module_stack_fn"));
        return step;
    };
    EXPECT_EQ(taken_by({own}), 0u);
    EXPECT_EQ(taken_by({off, bare, own}), 2u) << "one that is on";
    EXPECT_EQ(taken_by({off, bare}), 1u) << "one without buckets of its own";
    EXPECT_EQ(taken_by({off}), 0u);
    EXPECT_FALSE(entries_taker(Plan()));
    Plan plan;
    plan.pipeline = {bare, {"eliminate_dead_code_pass"}, own};
    EXPECT_EQ(entries_taker(plan)->running, 2u);
}

class ManualStartTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ManualStartTest, MakesCardsOfWholeModulesThatThePassAccepts) {
    const auto graph = test_graph(GetParam());
    const Plan plan = automatic_plan(Plan(), *graph);
    const auto automatic = evaluate(graph, plan);
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    ASSERT_EQ(manual_start_obstacle(plan, automatic.get(), tree), "");
    const ManualStart start = manual_start(plan, *automatic);
    EXPECT_EQ(pass_names(start.plan.pipeline), Names({"manual_overlap_bucketing"}));
    ASSERT_FALSE(start.plan.buckets.empty());
    const auto manual = evaluate(graph, start.plan);
    EXPECT_FALSE(manual->refused);
    for (const Problem& problem : manual->problems) {
        EXPECT_NE(problem.kind, ProblemKind::unknown_module) << problem.message;
        EXPECT_NE(problem.kind, ProblemKind::overlapping_entries) << problem.message;
    }
    // Each collective that was merged is in a card or among what is told.
    std::set<NodeId> covered;
    for (const BucketEntry& entry : start.plan.buckets) {
        for (const std::string& module : entry.modules) {
            for (const NodeId node : tree.nodes(module)) covered.insert(node);
        }
    }
    const BucketingEligibility eligibility(*graph);
    for (const BucketReport& bucket : automatic->reports.at(0).buckets) {
        for (const std::string& member : bucket.members) {
            const NodeId node = graph->find(member);
            if (node != no_node && eligibility.eligible(node)) {
                const Names in_none = told(start, "in no card");
                EXPECT_TRUE(covered.contains(node) || std::ranges::find(in_none, member) != in_none.end()) << member;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Graphs, ManualStartTest,
                         ::testing::Values("llama3_debugmodel_fsdp8.prebucket",
                                           "deepseek_v3_debugmodel_fsdp8_ep4.prebucket", "llama3_8b_fsdp64_aot_fw",
                                           "llama3_8b_fsdp64_aot_bw"));

TEST(ManualStart, TellsWhichBucketsAreDivided) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const Plan plan = automatic_plan(Plan(), *graph);
    const ManualStart start = manual_start(plan, *evaluate(graph, plan));
    EXPECT_EQ(told(start, "64 buckets are divided, since a module has one card").size(), 64u);
}

TEST(ManualStart, TellsWhatComesAlongWithWholeModules) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    Plan plan = automatic_plan(Plan(), *graph);
    // The reference's memory tracker raises on this graph.
    for (const char* limit : {"max_memory_increase_gb", "max_memory_increase_ratio"})
        plan.pipeline[0].options[limit] = {};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(manual_start_obstacle(plan, evaluation.get(), ModuleTree(*graph, ModuleSource::module_fqn)), "");
    const Names along = told(manual_start(plan, *evaluation), "come along, since cards take whole modules");
    EXPECT_EQ(along.size(), 13u);
    EXPECT_NE(std::ranges::find(along, "all_reduce_24"), along.end());
}

TEST(ManualStart, NeedsAResultWithBucketsAndModules) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const ModuleTree tree(*graph, ModuleSource::module_fqn), none(*graph, ModuleSource::module_stack);
    const auto obstacle = [&](const Plan& plan) {
        return manual_start_obstacle(plan, evaluate(graph, plan).get(), tree);
    };
    Plan plan = automatic_plan(Plan(), *graph);
    EXPECT_NE(manual_start_obstacle(plan, nullptr, tree), "");
    EXPECT_NE(manual_start_obstacle(plan, evaluate(graph, plan).get(), none).find("have no modules"),
              std::string::npos);
    plan.pipeline[0].options = {{"pre_bucketing_fsdp_collectives", false}};
    EXPECT_NE(obstacle(plan).find("collective_bucketing"), std::string::npos);
    plan.pipeline[0].options = {{"max_in_flight_gb", std::int64_t{-1}}};
    EXPECT_NE(obstacle(plan).find("refused"), std::string::npos);
    EXPECT_NE(obstacle(make_plan(*graph, "")).find("no automatic pass"), std::string::npos);
}

}  // namespace
}  // namespace overlap
