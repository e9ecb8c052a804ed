#include "core/plan/expert_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/graph/graph_builder.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

Names passes_of(const Plan& plan) {
    Names names;
    for (const PassStep& step : plan.pipeline) names.push_back(step.pass);
    return names;
}

std::vector<Problem> told(const Evaluation& evaluation) {
    std::vector<Problem> found;
    for (const Problem& problem : evaluation.problems)
        if (problem.kind == ProblemKind::incomplete_expert_overlap ||
            problem.kind == ProblemKind::rest_of_expert_overlap)
            found.push_back(problem);
    return found;
}

class ExpertOverlapTest : public testing::Test {
  protected:
    std::shared_ptr<const Graph> graph_ = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    ModuleTree tree_{*graph_, preferred_module_source(*graph_)};
    Plan preset_ = plan_of(pipeline_presets(*graph_).front(), *graph_, "As torchtitan runs it");
    const Names passes_ = expert_overlap_passes(HalvedBy::pass);

    PassStep& step(Plan& plan, const std::string& pass) {
        return *std::ranges::find(plan.pipeline, pass, &PassStep::pass);
    }
};

TEST_F(ExpertOverlapTest, IsOneChoiceThatMakesTorchtitansPipeline) {
    const ExpertOverlapChoices choices = expert_overlap_choices(*graph_, tree_);
    EXPECT_EQ(choices.obstacle, "");
    ASSERT_EQ(choices.list.size(), 3u);
    EXPECT_EQ(choices.list.front(), (ExpertOverlap{HalvedBy::pass, "layers.*", "batch"}));
    ASSERT_TRUE(expert_overlap_of(preset_));
    EXPECT_EQ(*expert_overlap_of(preset_), choices.list.front());

    Plan without = edits::without_expert_overlap(preset_);
    EXPECT_FALSE(expert_overlap_of(without));
    for (const std::string& pass : passes_) EXPECT_EQ(std::ranges::count(passes_of(without), pass), 0) << pass;
    // Back to the same steps at the same places, with the same options.
    EXPECT_EQ(edits::with_expert_overlap(without, choices.list.front()).pipeline, preset_.pipeline);
    // The group of the all-to-alls comes with it.
    std::erase_if(without.pipeline, [](const PassStep& each) { return each.pass == "isolate_ep_process_group_pass"; });
    EXPECT_EQ(std::ranges::count(passes_of(edits::with_expert_overlap(without, choices.list.front())),
                                 "isolate_ep_process_group_pass"),
              1);
}

TEST_F(ExpertOverlapTest, EveryChoiceRunsAndSaysWhatWasChosen) {
    for (const ExpertOverlap& choice : expert_overlap_choices(*graph_, tree_).list) {
        for (const Plan& from : {edits::without_expert_overlap(preset_), preset_, Plan()}) {
            const Plan plan = edits::with_expert_overlap(from, choice);
            EXPECT_EQ(*expert_overlap_of(plan), choice);
            const auto evaluation = evaluate(graph_, plan);
            EXPECT_FALSE(evaluation->refused) << choice.module_pattern << ' ' << choice.dimension
                                              << (evaluation->refusal ? evaluation->refusal->what() : "");
            EXPECT_TRUE(told(*evaluation).empty());
        }
    }
}

TEST_F(ExpertOverlapTest, AnotherChoiceKeepsOptionsOfSteps) {
    step(preset_, "ep_overlap_chunk_pass").options["optimize_grad_live_out"] = false;
    Plan plan = edits::with_expert_overlap(preset_, {HalvedBy::pass, "layers.*.moe", "seq"});
    EXPECT_EQ(passes_of(plan), passes_of(preset_));
    const Options& chunk = step(plan, "ep_overlap_chunk_pass").options;
    EXPECT_EQ(std::get<bool>(*chunk.find("optimize_grad_live_out")), false);
    EXPECT_EQ(std::get<std::string>(*chunk.find("mode")), "seq");
    EXPECT_EQ(std::get<bool>(*step(plan, "ep_overlap_schedule_pass").options.find("pair_first_token_exchange")), true);
}

/// As whatever a graph cannot show, and there is an option without which the job does it as a graph shows it.
TEST_F(ExpertOverlapTest, AGradientThatIsJoinedEarlierIsRefusedWithAFix) {
    const Plan plan = edits::with_expert_overlap(preset_, {HalvedBy::pass, "layers.*.moe.routed_experts", "batch"});
    const auto refused = evaluate(graph_, plan);
    ASSERT_TRUE(refused->refused);
    const auto problem = std::ranges::find(refused->problems, ProblemKind::refused, &Problem::kind);
    ASSERT_NE(problem, refused->problems.end());
    EXPECT_EQ(problem->fix, "set optimize_grad_live_out to false");
    const std::optional<Plan> fixed = edits::with_fix(plan, *problem);
    ASSERT_TRUE(fixed);
    EXPECT_FALSE(evaluate(graph_, *fixed)->refused);
    // Refusals that no option avoids have no fix.
    const auto odd = evaluate(graph_, edits::with_expert_overlap(preset_, {HalvedBy::pass, "layers.*", "seq"}));
    ASSERT_TRUE(odd->refused);
    const auto other = std::ranges::find(odd->problems, ProblemKind::refused, &Problem::kind);
    ASSERT_NE(other, odd->problems.end());
    EXPECT_EQ(other->fix, "");
    EXPECT_FALSE(edits::with_fix(plan, *other));
}

TEST_F(ExpertOverlapTest, WhatIsTakenAwayIsPutBackOrFollowedByTheRest) {
    for (const std::string& pass : passes_) {
        for (const bool removed : {false, true}) {
            Plan plan = preset_;
            if (removed) {
                std::erase_if(plan.pipeline, [&](const PassStep& each) { return each.pass == pass; });
            } else {
                step(plan, pass).enabled = false;
            }
            const std::vector<Problem> problems = told(*evaluate(graph_, plan));
            ASSERT_EQ(problems.size(), 2u) << pass;
            EXPECT_EQ(problems[0].fix, "put it back");
            EXPECT_NE(problems[0].message.find("without " + pass), std::string::npos) << problems[0].message;
            EXPECT_EQ(problems[1].fix, "remove the other 3");
            EXPECT_EQ(edits::with_fix(plan, problems[0])->pipeline, preset_.pipeline) << pass;
            const auto rest = evaluate(graph_, *edits::with_fix(plan, problems[1]));
            EXPECT_FALSE(rest->refused) << pass;
            EXPECT_TRUE(told(*rest).empty()) << pass;
            EXPECT_FALSE(expert_overlap_of(*edits::with_fix(plan, problems[1])));
        }
    }
    // Of two as well, also where what is left does not say along which dimension.
    Plan plan = preset_;
    for (const char* pass : {"populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass"})
        std::erase_if(plan.pipeline, [&](const PassStep& each) { return each.pass == pass; });
    const std::vector<Problem> problems = told(*evaluate(graph_, plan));
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].fix, "put them back");
    EXPECT_EQ(edits::with_fix(plan, problems[0])->pipeline, preset_.pipeline);
}

TEST_F(ExpertOverlapTest, TheAutomaticPlanLeavesNoPartOfIt) {
    const Plan automatic = automatic_plan(preset_, *graph_);
    EXPECT_FALSE(expert_overlap_of(automatic));
    EXPECT_TRUE(told(*evaluate(graph_, automatic)).empty());
}

TEST(ExpertOverlap, GraphsWithoutAChoiceSayWhy) {
    const auto choices = [](const std::string& name) {
        const auto graph = test_graph(name);
        return expert_overlap_choices(*graph, ModuleTree(*graph, preferred_module_source(*graph)));
    };
    EXPECT_NE(choices("llama3_debugmodel_fsdp8.prebucket").obstacle.find("no tokens"), std::string::npos);
    EXPECT_NE(choices("deepseek_v3_debugmodel_fsdp8_ep4.prebucket").obstacle.find("compile.ep_overlap.enabled"),
              std::string::npos);
    EXPECT_TRUE(choices("deepseek_v3_debugmodel_fsdp8_ep4.prebucket").list.empty());
    // What has been halved already is ordered only.
    const auto halved =
        choices("deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass");
    ASSERT_EQ(halved.list.size(), 1u);
    EXPECT_EQ(halved.list.front(), (ExpertOverlap{HalvedBy::before, "layers.*.moe", ""}));
    const auto graph =
        test_graph("deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass");
    const Plan plan = edits::with_expert_overlap(Plan(), halved.list.front());
    EXPECT_EQ(*expert_overlap_of(plan), halved.list.front());
    const auto evaluation = evaluate(graph, plan);
    EXPECT_FALSE(evaluation->refused);
    EXPECT_TRUE(told(*evaluation).empty());
}

TEST(ExpertOverlap, WhereTheModelHalvesItsBatchNothingElseDoes) {
    const auto graph = read_graph_file(
        OVERLAP_SHARED_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4_epo_eager_moe_batch.prebucket.graph.json.gz");
    const auto choices = expert_overlap_choices(*graph, ModuleTree(*graph, preferred_module_source(*graph)));
    ASSERT_EQ(choices.list.size(), 1u);
    EXPECT_EQ(choices.list.front(), (ExpertOverlap{HalvedBy::model, "layers.*.moe", ""}));
    const Plan preset = plan_of(pipeline_presets(*graph).front(), *graph, "As torchtitan runs it");
    Plan plan = edits::with_expert_overlap(edits::without_expert_overlap(preset), choices.list.front());
    EXPECT_EQ(plan.pipeline, preset.pipeline);
    EXPECT_EQ(*expert_overlap_of(plan), choices.list.front());
    EXPECT_FALSE(evaluate(graph, plan)->refused);
    std::erase_if(plan.pipeline,
                  [](const PassStep& each) { return each.pass == "populate_eager_chunk_metadata_pass"; });
    const std::vector<Problem> problems = told(*evaluate(graph, plan));
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].fix, "");  // a plan does not tell who halves
    EXPECT_EQ(problems[1].fix, "remove the other one");
}

TEST(ExpertOverlap, APartThatIsPutBackStandsBehindWhatItFollows) {
    Plan plan;
    for (const char* pass : {"populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass", "ep_overlap_schedule_pass",
                             "canonicalize_graph_pass"})
        plan.pipeline.push_back({pass});
    plan.pipeline[2].options = {{"pair_first_token_exchange", true}};
    const Plan whole = edits::with_rest_of_expert_overlap(plan);
    EXPECT_EQ(passes_of(whole),
              Names({"populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass", "ep_overlap_schedule_pass",
                     "concretize_ep_chunk_symbolic_shapes_pass", "canonicalize_graph_pass"}));
    EXPECT_EQ(whole.pipeline[2], plan.pipeline[2]) << "a step that runs keeps its options";
    EXPECT_EQ(edits::with_rest_of_expert_overlap(Plan()), Plan());
}

TEST(ExpertOverlap, AnotherChoiceTakesTheOthersPassesAway) {
    Plan plan;
    for (const std::string& pass : expert_overlap_passes(HalvedBy::pass)) plan.pipeline.push_back({pass});
    const Names names = passes_of(edits::with_expert_overlap(plan, {HalvedBy::model, "layers.*.moe", ""}));
    EXPECT_EQ(std::ranges::count(names, "populate_eager_chunk_metadata_pass"), 1);
    EXPECT_EQ(std::ranges::count(names, "ep_overlap_schedule_pass"), 1);
    for (const char* pass :
         {"populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass", "concretize_ep_chunk_symbolic_shapes_pass"})
        EXPECT_EQ(std::ranges::count(names, pass), 0) << pass;
}

TEST(ExpertOverlap, APartIsACautionAndTheRestANote) {
    Plan plan;
    plan.pipeline = {{"populate_chunk_dim_metadata_pass"}};
    GraphBuilder builder;
    builder.output({});
    const std::vector<Problem> problems = check_expert_overlap(builder.finish({}), plan);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].severity, Severity::caution);
    EXPECT_EQ(problems[0].title, "Expert overlap incomplete");
    EXPECT_EQ(problems[0].fix, "") << "in a dense model the missing passes would be refused in turn";
    EXPECT_NE(problems[0].message.find("exchanges no tokens"), std::string::npos) << problems[0].message;
    EXPECT_FALSE(edits::with_fix(plan, problems[0]));
    EXPECT_FALSE(expert_overlap_of(*edits::with_fix(plan, problems[1])));
    EXPECT_EQ(problems[1].severity, Severity::note);
    EXPECT_EQ(problems[1].title, "Rest of expert overlap");
}

TEST(ExpertOverlap, IsForJointGraphs) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const auto choices = expert_overlap_choices(*graph, ModuleTree(*graph, preferred_module_source(*graph)));
    EXPECT_NE(choices.obstacle.find("joint graphs"), std::string::npos) << choices.obstacle;
    EXPECT_TRUE(choices.list.empty());
}

}  // namespace
}  // namespace overlap
