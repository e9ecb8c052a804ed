// What an evaluation says of the single steps, while it runs and afterwards.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/pipeline/evaluation.h"
#include "core/pipeline/evaluation_progress.h"
#include "core/plan/presets.h"
#include "tests/pipeline/block_plan.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// What an evaluation says while it runs: `part done/of`.
std::vector<std::string> told_of(const std::shared_ptr<const Graph>& graph, const Plan* plan) {
    std::vector<std::string> told;
    evaluate_telling(graph, plan, [&](const EvaluationProgress& progress) {
        told.push_back(progress.part + " " + std::to_string(progress.done) + "/" + std::to_string(progress.of));
    });
    return told;
}

TEST(EvaluationSteps, TellsWhichPartBegins) {
    using Told = std::vector<std::string>;
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_EQ(told_of(graph, nullptr), (Told{"simulation 0/2", "memory 1/2", " 2/2"}));
    Plan plan = block_plan(*graph);
    plan.pipeline = {{"eliminate_dead_code_pass"}, {"manual_overlap_bucketing"}, {"deduplicate_wait_tensors"}};
    plan.pipeline[0].enabled = false;
    EXPECT_EQ(told_of(graph, &plan), (Told{"manual_overlap_bucketing 0/4", "deduplicate_wait_tensors 1/4",
                                           "simulation 2/4", "memory 3/4", " 4/4"}));
    plan.overlaps.list = {{.collective = "gone", .start_before = "mm"}};
    EXPECT_EQ(told_of(graph, &plan), (Told{"manual_overlap_bucketing 0/5", "deduplicate_wait_tensors 1/5",
                                           "overlaps 2/5", "simulation 3/5", "memory 4/5", " 5/5"}));
    plan.overlaps.list.clear();
    plan.pipeline[1].pass = "no_such_pass";  // refused
    EXPECT_EQ(told_of(graph, &plan), (Told{"no_such_pass 0/4", "simulation 2/4", "memory 3/4", " 4/4"}));
}

TEST(EvaluationSteps, TellsWhatEachStepDid) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    Plan plan = plan_of(pipeline_presets(*graph).at(0), *graph, "Plan A");
    ASSERT_EQ(plan.pipeline.size(), 7u);
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(evaluation->steps.size(), 7u);
    std::size_t nodes = graph->node_count();
    double run_ms = 0;
    for (const StepOutcome& step : evaluation->steps) {
        SCOPED_TRACE(step.pass);
        EXPECT_EQ(step.state, StepOutcome::State::ran);
        EXPECT_GT(step.run_ms, 0);
        EXPECT_TRUE(step.refusal.empty());
        nodes += step.difference->added.size();
        nodes -= step.difference->removed.size();
        run_ms += step.run_ms;
    }
    EXPECT_DOUBLE_EQ(evaluation->run_ms(), run_ms);
    EXPECT_EQ(nodes, evaluation->graph->node_count());
    EXPECT_GT(evaluation->steps[0].difference->removed.size(), 0u);
    EXPECT_EQ(evaluation->steps[0].difference->added.size(), 0u);  // dead code only goes
    const GraphDifference& bucketing = *evaluation->steps[6].difference;
    EXPECT_GT(bucketing.added.size(), 0u);
    for (const BucketReport& bucket : evaluation->reports[6].buckets) {
        EXPECT_TRUE(std::ranges::count(bucketing.added, bucket.start, &NodeChange::name)) << bucket.start;
        for (const std::string& member : bucket.members)
            EXPECT_TRUE(std::ranges::count(bucketing.removed, member, &NodeChange::name)) << member;
    }
}

TEST(EvaluationSteps, KnowsWhichProblemsAreOfWhichStep) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const Plan plan = plan_of(pipeline_presets(*graph).at(1), *graph, "Plan A");
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(evaluation->steps.size(), evaluation->reports.size());
    std::size_t told = 0;
    for (std::size_t step = 0; step < evaluation->steps.size(); ++step) {
        const PassReport& report = evaluation->reports[step];
        ASSERT_EQ(evaluation->steps[step].problems.size(), report.problems.size());
        for (std::size_t index = 0; index < report.problems.size(); ++index, ++told)
            EXPECT_EQ(evaluation->problems[evaluation->steps[step].problems[index]].message,
                      report.problems[index].message);
    }
    EXPECT_GT(told, 0u);
}

TEST(EvaluationSteps, RunsNoStepThatIsSwitchedOff) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.pipeline[0].enabled = false;
    const auto evaluation = evaluate(graph, plan);
    EXPECT_EQ(evaluation->graph, graph);
    EXPECT_TRUE(evaluation->reports.empty());
    ASSERT_EQ(evaluation->steps.size(), 1u);
    EXPECT_EQ(evaluation->steps[0].state, StepOutcome::State::switched_off);
    EXPECT_TRUE(evaluation->steps[0].difference->empty());
}

TEST(EvaluationSteps, TellsWhichStepWasRefusedAndWhichWereNotReached) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.pipeline.insert(plan.pipeline.begin(), {"eliminate_dead_code_pass"});
    plan.pipeline[1].options["bucket_mode"] = "coalesce";
    plan.pipeline.push_back({"canonicalize_graph_pass"});
    const auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    ASSERT_EQ(evaluation->steps.size(), 3u);
    EXPECT_EQ(evaluation->steps[0].state, StepOutcome::State::ran);
    EXPECT_EQ(evaluation->steps[1].state, StepOutcome::State::refused);
    EXPECT_NE(evaluation->steps[1].refusal.find("bucket_mode"), std::string::npos);
    EXPECT_EQ(evaluation->steps[2].state, StepOutcome::State::not_reached);
}

}  // namespace
}  // namespace overlap
