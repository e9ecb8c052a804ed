#include "core/plan/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plan/test_graphs.h"

namespace overlap {
namespace {

Plan block_plan(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    return plan;
}

std::size_t count(const std::vector<Problem>& problems, std::string_view kind) {
    return static_cast<std::size_t>(
        std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.kind == kind; }));
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
        const auto entry = static_cast<std::int32_t>(bucket.plan_entry);
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
    EXPECT_EQ(count(evaluation->problems, "overlapping_entries"), 1u);
    EXPECT_EQ(count(evaluation->problems, "refused"), 0u);  // said already
}

TEST(Evaluation, TurnsEveryMistakeIntoAProblem) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline.push_back({"manual_overlap_buckting", Json::object()});
    auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    ASSERT_EQ(count(evaluation->problems, "refused"), 1u);
    plan.pipeline = {{"manual_overlap_bucketing", {{"bucket_mod", nullptr}}}};
    evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    plan.pipeline = {{"manual_overlap_bucketing", Json::array()}};
    EXPECT_TRUE(evaluate(graph, plan)->refused);
}

TEST(Evaluation, TellsWhatItDoesNotEvaluate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.unevaluated["overlaps"] = Json::array({Json::object({{"collective", "x"}})});
    plan.unevaluated["of_a_newer_writer"] = 1;
    const auto evaluation = evaluate(graph, plan);
    EXPECT_EQ(count(evaluation->problems, "not_evaluated"), 2u);
}

TEST(Evaluation, TellsTheWorstExposedCollectives) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const auto evaluation = evaluate_baseline(graph);
    EXPECT_GT(evaluation->simulation.exposed_ms, 0);
    ASSERT_GT(count(evaluation->problems, "exposed"), 0u);
    ASSERT_LE(count(evaluation->problems, "exposed"), 3u);
    for (const Problem& problem : evaluation->problems) {
        EXPECT_FALSE(problem.message.empty());
        EXPECT_NE(graph->find(problem.nodes.at(0)), no_node);
    }
}

}  // namespace
}  // namespace overlap
