#include "core/pipeline/pass_result_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "core/pipeline/evaluation.h"
#include "core/plan/presets.h"
#include "tests/pipeline/test_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::vector<std::string> messages(const Evaluation& evaluation) {
    std::vector<std::string> told;
    for (const Problem& problem : evaluation.problems)
        told.push_back(problem.title + ": " + problem.message + ' ' + std::to_string(problem.plan_entry));
    return told;
}

/// What views show of two evaluations is the same.
void expect_same(const Evaluation& known, const Evaluation& anew) {
    EXPECT_EQ(known.refused, anew.refused);
    EXPECT_EQ(fingerprint(*known.graph).digest, fingerprint(*anew.graph).digest);
    EXPECT_EQ(known.origin, anew.origin);
    EXPECT_EQ(known.bucket_of_node, anew.bucket_of_node);
    EXPECT_EQ(known.entry_of_node, anew.entry_of_node);
    EXPECT_EQ(messages(known), messages(anew));
    EXPECT_EQ(known.simulation.step_ms, anew.simulation.step_ms);
    EXPECT_EQ(known.corrected_memory.peak_bytes, anew.corrected_memory.peak_bytes);
    ASSERT_EQ(known.steps.size(), anew.steps.size());
    for (std::size_t step = 0; step < anew.steps.size(); ++step) {
        EXPECT_EQ(known.steps[step].state, anew.steps[step].state);
        EXPECT_EQ(known.steps[step].problems, anew.steps[step].problems);
        const GraphDifference &was = *known.steps[step].difference, &is = *anew.steps[step].difference;
        EXPECT_EQ(was.added.size(), is.added.size());
        EXPECT_EQ(was.removed.size(), is.removed.size());
        EXPECT_EQ(was.moved.size(), is.moved.size());
        EXPECT_EQ(was.changed.size(), is.changed.size());
    }
}

TEST(PassResultCache, EveryPlanIsEvaluatedAsWithoutOne) {
    std::map<std::string, std::shared_ptr<PassResultCache>> caches;  // of a graph, for all its plans in turn
    std::map<std::string, std::shared_ptr<const Graph>> graphs;
    for (int round = 0; round < 2; ++round) {
        for (const TestPlan& of : test_plans()) {
            SCOPED_TRACE(of.name);
            auto& graph = graphs[of.graph + (of.timed ? " timed" : "")];
            if (!graph) graph = of.timed ? test_graph(of.graph) : without_times(test_graph(of.graph));
            auto& cache = caches[of.graph + (of.timed ? " timed" : "")];
            if (!cache) cache = std::make_shared<PassResultCache>();
            const Plan plan = of.plan(*graph);
            const auto known = evaluate(graph, plan, {}, nullptr, cache);
            expect_same(*known, *evaluate(graph, plan));
            const auto again = evaluate(graph, plan, {}, nullptr, cache);
            expect_same(*again, *known);
            EXPECT_EQ(again->undirected, known->undirected) << "the steps ran again";
        }
    }
}

TEST(PassResultCache, APlanThatBeginsLikeAnotherContinuesWhereTheyPart) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline = {{"eliminate_dead_code_pass"}, {"canonicalize_graph_pass"}, {"manual_overlap_bucketing"}};
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph)), graph.get());
    const auto baseline = evaluate_baseline(graph);
    ASSERT_NE(baseline->cache, nullptr);
    const auto first = evaluate_like(*baseline, plan);
    plan.buckets.pop_back();
    const auto second = evaluate_like(*first, plan);
    EXPECT_EQ(second->steps[1].given, first->steps[1].given);
    EXPECT_EQ(second->steps[2].given, first->steps[2].given);
    EXPECT_NE(second->graph, first->graph);
    expect_same(*second, *evaluate(graph, plan));

    plan.notes = "no pass reads this";
    EXPECT_EQ(evaluate_like(*second, plan)->graph, second->graph);
}

KnownPassResult result(const std::shared_ptr<const Graph>& given, const std::string& pass) {
    return {given, {pass}, {given, {}, {}}, 0};
}

TEST(PassResultCache, DropsWhatWasNotAskedForLongest) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    PassResultCache cache(2);
    cache.keep(result(graph, "a"));
    cache.keep(result(graph, "b"));
    EXPECT_NE(cache.find(graph, {"a"}), nullptr);
    cache.keep(result(graph, "c"));
    EXPECT_NE(cache.find(graph, {"a"}), nullptr);
    EXPECT_EQ(cache.find(graph, {"b"}), nullptr);
    EXPECT_NE(cache.find(graph, {"c"}), nullptr);
    EXPECT_EQ(cache.find(graph, {"c", {{"strict", true}}}), nullptr);
    EXPECT_EQ(cache.find(without_times(graph), {"c"}), nullptr);
}

TEST(PassResultCache, HoldsNoMoreNodesThanItMay) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    PassResultCache cache(10, 2 * graph->node_count());
    for (const char* pass : {"a", "b", "c"}) cache.keep(result(graph, pass));
    EXPECT_EQ(cache.find(graph, {"a"}), nullptr);
    EXPECT_NE(cache.find(graph, {"b"}), nullptr);
    EXPECT_NE(cache.find(graph, {"c"}), nullptr);
    PassResultCache small(10, 1);
    EXPECT_NE(small.keep(result(graph, "a")), nullptr);
    EXPECT_EQ(small.find(graph, {"a"}), nullptr);
}

TEST(PassResultCache, OfTwoThreadsThatRanAStepTheFirstResultIsKept) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    PassResultCache cache;
    const auto first = cache.keep(result(graph, "a"));
    EXPECT_EQ(cache.keep(result(graph, "a")), first);
}

TEST(PassResultCache, ManyThreadsMayUseOne) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto cache = std::make_shared<PassResultCache>(3);
    std::vector<Plan> plans;
    for (std::size_t buckets = 0; buckets < 4; ++buckets) {
        Plan& plan = plans.emplace_back(make_plan(*graph, "Plan"));
        plan.pipeline = {{"eliminate_dead_code_pass"}, {"canonicalize_graph_pass"}, {"manual_overlap_bucketing"}};
        plan.buckets = one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph)), graph.get());
        plan.buckets.resize(buckets + 1);
    }
    std::vector<double> expected_ms;
    for (const Plan& plan : plans) expected_ms.push_back(evaluate(graph, plan)->simulation.step_ms);
    std::vector<std::vector<double>> found_ms(4);
    {
        std::vector<std::jthread> threads;
        for (auto& found : found_ms)
            threads.emplace_back([&] {
                for (const Plan& plan : plans)
                    found.push_back(evaluate(graph, plan, {}, nullptr, cache)->simulation.step_ms);
            });
    }
    for (const auto& found : found_ms) EXPECT_EQ(found, expected_ms);
}

}  // namespace
}  // namespace overlap
