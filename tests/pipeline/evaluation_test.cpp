#include "core/pipeline/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipeline/block_plan.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(Evaluation, WhatFusedProductsReturnIsInThePeakAndPriced) {
    // With clean-ups alone a product of the backward pass reads what a fused one has gathered.
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    Plan plan;
    plan.pipeline = {{"micro_pipeline_tp_pass", {}}};
    const auto evaluation = evaluate(graph, plan), base = evaluate_baseline(graph);
    EXPECT_EQ(std::ranges::count(evaluation->problems, ProblemKind::uncounted_results, &Problem::kind), 0);
    EXPECT_TRUE(evaluation->times_known);
    // PyTorch's own estimate leaves it out.
    EXPECT_LT(evaluation->memory.peak_bytes, base->memory.peak_bytes);
    EXPECT_GT(evaluation->corrected_memory.peak_bytes, 0.9 * base->corrected_memory.peak_bytes);
    // The graph is PyTorch's: without values.
    const NodeId fused = [&] {
        NodeId node = 0;
        while (!evaluation->graph->target(node).starts_with("symm_mem.")) ++node;
        return node;
    }();
    EXPECT_TRUE(evaluation->graph->outputs(fused).empty());
}

TEST(Evaluation, AnyPassThatReadsABufferBeforeItIsFilledIsTold) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Automatic");
    plan.pipeline = {{"schedule_overlap_bucketing", {{"bucket_mode", std::string("custom_ops")}}}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(problem_count(evaluation->problems, ProblemKind::read_before_fill), 1u);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::read_before_fill, &Problem::kind);
    EXPECT_EQ(problem->severity, Severity::error);
    EXPECT_LT(evaluation->graph->find(problem->nodes.front()), evaluation->graph->find(problem->nodes.back()));
    // Packed without custom operators, nothing is.
    plan.pipeline.front().options = {};
    EXPECT_EQ(problem_count(evaluate(graph, plan)->problems, ProblemKind::read_before_fill), 0u);
}

TEST(Evaluation, OfAPlanHasEverything) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate(graph, block_plan(*graph));
    ASSERT_TRUE(evaluation);
    EXPECT_FALSE(evaluation->refused);
    EXPECT_EQ(evaluation->input, graph);
    const std::uint32_t nodes = evaluation->graph->node_count();
    EXPECT_NE(evaluation->graph, graph);
    ASSERT_EQ(evaluation->origin.size(), nodes);
    ASSERT_EQ(evaluation->bucket_of_node.size(), nodes);
    ASSERT_EQ(evaluation->entry_of_node.size(), nodes);
    EXPECT_EQ(evaluation->times_ms.size(), nodes);
    EXPECT_GT(evaluation->simulation.step_ms, 0);
    EXPECT_GT(evaluation->memory.peak_bytes, 0);
    EXPECT_LE(evaluation->corrected_memory.peak_bytes, evaluation->memory.peak_bytes);
    EXPECT_GT(evaluation->evaluate_ms, 0);
    for (NodeId node = 0; node < nodes; ++node) {
        const NodeId origin = evaluation->origin[node];
        if (origin == no_node) {
            EXPECT_GE(evaluation->bucket_of_node[node], 0) << evaluation->graph->name(node);
        } else {
            EXPECT_EQ(evaluation->bucket_of_node[node], -1);
            EXPECT_EQ(evaluation->graph->name(node), graph->name(origin));
        }
    }
}

TEST(Evaluation, MarksBucketsAndTheirModules) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = block_plan(*graph);
    const auto evaluation = evaluate(graph, plan);
    for (const BucketReport& bucket : evaluation->reports.at(0).buckets) {
        const auto entry = static_cast<std::int32_t>(*bucket.plan_entry);
        EXPECT_EQ(evaluation->bucket_of_node[evaluation->graph->find(bucket.start)], entry);
        EXPECT_EQ(evaluation->bucket_of_node[evaluation->graph->find(bucket.waits.at(0))], entry);
    }
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    for (NodeId node = 0; node < evaluation->graph->node_count(); ++node) {
        const NodeId origin = evaluation->origin[node];
        if (origin == no_node || tree.innermost(origin) == ModuleTree::no_module) continue;
        if (tree.path(tree.innermost(origin)).starts_with("layers.3")) {
            EXPECT_EQ(evaluation->entry_of_node[node], 4);
        }
    }
}

TEST(Evaluation, OfTheBaselineLeavesTheGraph) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto baseline = evaluate_baseline(graph);
    EXPECT_EQ(baseline->graph, graph);
    EXPECT_TRUE(baseline->reports.empty());
    EXPECT_FALSE(baseline->refused);
    EXPECT_GT(baseline->simulation.step_ms, 0);
}

TEST(Evaluation, OfNoBucketsIsTheBaseline) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate(graph, make_plan(*graph, "Plan A"));
    EXPECT_FALSE(evaluation->refused);
    EXPECT_EQ(evaluation->simulation.step_ms, evaluate_baseline(graph)->simulation.step_ms);
}

TEST(Evaluation, ToldToStopIsNothing) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(evaluate(graph, block_plan(*graph), stop.get_token()), nullptr);
    EXPECT_EQ(evaluate_baseline(graph, stop.get_token()), nullptr);
}

TEST(Evaluation, OfARefusedPlanHasTheFiguresOfTheInput) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.buckets.push_back({{"layers.0.attention"}});
    const auto evaluation = evaluate(graph, plan);
    ASSERT_TRUE(evaluation);
    EXPECT_TRUE(evaluation->refused);
    EXPECT_EQ(evaluation->graph, graph);
    EXPECT_TRUE(evaluation->reports.empty());
    EXPECT_EQ(evaluation->simulation.step_ms, evaluate_baseline(graph)->simulation.step_ms);
    EXPECT_EQ(problem_count(evaluation->problems, ProblemKind::overlapping_entries), 1u);
    EXPECT_EQ(problem_count(evaluation->problems, ProblemKind::refused), 0u);  // said already
    // What is drawn all the same has the colour of the first entry that names it.
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    for (const NodeId node : tree.nodes("layers.0.attention")) EXPECT_EQ(evaluation->entry_of_node[node], 1);
}

TEST(Evaluation, TurnsEveryMistakeIntoAProblem) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline.push_back({"manual_overlap_buckting"});
    auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    ASSERT_EQ(problem_count(evaluation->problems, ProblemKind::refused), 1u);
    const auto refused = std::ranges::find(evaluation->problems, ProblemKind::refused, &Problem::kind);
    EXPECT_EQ(refused->severity, Severity::error);
    EXPECT_EQ(refused->title, "Plan refused");
    plan.pipeline = {{"manual_overlap_bucketing", {{"bucket_mod", {}}}}};
    evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    plan.pipeline = {{"manual_overlap_bucketing", {{"insert_overlap_deps", std::int64_t{1}}}}};
    EXPECT_TRUE(evaluate(graph, plan)->refused);
}

TEST(Evaluation, TellsWhatItDoesNotEvaluate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.unread_process_groups = UnreadField{"[1]", "process_groups[0]", "found 1, expected an object with a name"};
    plan.extra = {{"of_a_newer_writer", "1"}};
    const auto evaluation = evaluate(graph, plan);
    EXPECT_EQ(problem_count(evaluation->problems, ProblemKind::not_evaluated), 2u);
}

TEST(Evaluation, TellsTheWorstExposedCollectives) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const auto evaluation = evaluate_baseline(graph);
    EXPECT_GT(evaluation->simulation.exposed_ms, 0);
    ASSERT_GT(problem_count(evaluation->problems, ProblemKind::exposed), 0u);
    ASSERT_LE(problem_count(evaluation->problems, ProblemKind::exposed), 3u);
    for (const Problem& problem : evaluation->problems) {
        EXPECT_FALSE(problem.message.empty());
        EXPECT_NE(graph->find(problem.nodes.at(0)), no_node);
        if (problem.kind != ProblemKind::exposed) continue;
        // A move is told with what it does, which nobody has evaluated here.
        EXPECT_NE(problem.message.find(": waits "), std::string::npos) << problem.message;
        EXPECT_EQ(problem.message.find("issued before"), std::string::npos) << problem.message;
        EXPECT_EQ(problem.message.find("waited for"), std::string::npos) << problem.message;
    }
}

}  // namespace
}  // namespace overlap
