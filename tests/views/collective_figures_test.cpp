#include "core/views/collective_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/pipeline/manual_start.h"
#include "core/pipeline/why_exposed.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"
#include "core/simulate/issue_order.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(ShortModules, AreAsDeepAsTwoBeginningsGo) {
    EXPECT_EQ(short_modules({}), "");
    EXPECT_EQ(short_modules({"layers.0.attention.wq"}), "layers.0.attention.wq");
    EXPECT_EQ(short_modules({"norm", "output"}), "norm, output");
    EXPECT_EQ(short_modules({"layers.0.attention.wq", "layers.0.feed_forward.w1", "layers.0.feed_forward.w2"}),
              "layers.0.attention, layers.0.feed_forward");
    EXPECT_EQ(short_modules({"layers.0.wq", "layers.1.wq", "layers.2.wq"}), "layers.[0-2].wq");
    EXPECT_EQ(short_modules({"embed", "layers.0", "output"}), "");
    EXPECT_EQ(short_modules({"layers.0.wq", "layers.1.wq", "layers.2.wq", "layers.3.wq"}), "layers.[0-3].wq");
    EXPECT_EQ(short_modules({"layers.3.wq", "layers.3.wo", "layers.2.wq", "layers.2.wo", "layers.1.wq", "layers.0.wq"}),
              "layers.[0-3]")
        << "as backward has them";
}

class CollectiveFiguresOf : public testing::Test {
  protected:
    void SetUp() override {
        graph_ = test_graph("llama3_8b_fsdp64.prebucket");
        tree_ = std::make_unique<ModuleTree>(*graph_, preferred_module_source(*graph_));
    }

    std::shared_ptr<const Graph> graph_;
    std::unique_ptr<ModuleTree> tree_;
};

TEST_F(CollectiveFiguresOf, TheGraphAsItIsAreOfOneMemberEach) {
    const auto baseline = evaluate_baseline(graph_);
    const std::vector<CollectiveFigures> figures = collective_figures(*baseline, *tree_);
    ASSERT_EQ(figures.size(), baseline->simulation.collectives.size());
    for (const CollectiveFigures& made : figures) {
        const CollectiveTiming& timing = baseline->simulation.collectives[made.timing];
        EXPECT_EQ(made.members, std::vector<NodeId>{timing.start});
        EXPECT_LE(made.modules.size(), 1u);
        EXPECT_EQ(made.entry, -1);
        EXPECT_EQ(made.hidden_by == no_node, made.hiding_nodes == 0);
        // Compute cannot hide more than there is; what is neither hidden nor exposed waits behind other collectives.
        EXPECT_LE(made.hidden_ms + timing.exposed_ms, timing.end_ms - timing.start_ms + 1e-6);
    }
}

TEST_F(CollectiveFiguresOf, ABucketIsInTheModulesOfItsMembers) {
    Plan plan = make_plan(*graph_, "");
    plan.buckets = {BucketEntry{.modules = {"layers.0"}, .title = "first"},
                    BucketEntry{.modules = {"norm", "lm_head"}}};
    const auto result = evaluate(graph_, plan);
    ASSERT_FALSE(result->refused);
    const std::vector<CollectiveFigures> figures = collective_figures(*result, *tree_);
    const auto of_entry = [&](std::int32_t entry) {
        return std::ranges::find(figures, entry, &CollectiveFigures::entry);
    };
    const auto first = of_entry(0);
    ASSERT_NE(first, figures.end());
    EXPECT_EQ(first->bucket, "first");
    EXPECT_GT(first->members.size(), 2u);
    EXPECT_TRUE(first->module.starts_with("layers.0")) << first->module;
    EXPECT_EQ(std::set<std::string>(first->modules.begin(), first->modules.end()).size(), first->modules.size());
    const auto second = of_entry(1);
    ASSERT_NE(second, figures.end());
    EXPECT_EQ(second->bucket, display_name(plan.buckets[1]));
    EXPECT_EQ(second->module, "norm, lm_head");
}

/// Table and sentence speak of one move: issued earlier, or waited for later.
/// Gathers that torchtitan's memory passes do again in the backward are of the modules that the first ones are of.
TEST(CollectiveFiguresOfATracedGraph, WhatIsGatheredAgainIsInTheModulesOfItsMembers) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "Default"));
    ASSERT_FALSE(evaluation->refused);
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    std::set<std::string> first, again;
    for (const CollectiveFigures& made : collective_figures(*evaluation, tree)) {
        const CollectiveTiming& timing = evaluation->simulation.collectives[made.timing];
        if (timing.kind != CollectiveKind::all_gather || made.members.size() < 2) continue;
        (waits_in_backward(*evaluation->graph, timing.wait) ? again : first).insert(made.module);
    }
    EXPECT_FALSE(again.empty());
    EXPECT_TRUE(again.contains("layers.1"));
    EXPECT_TRUE(std::ranges::includes(first, again));
}

TEST_F(CollectiveFiguresOf, WhatCouldHideIsWhatTheExplanationTells) {
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.0+layers.1\nlayers.[2-5]\nnorm+lm_head");
    std::size_t earlier = 0, later = 0;
    for (const auto& result : {evaluate_baseline(graph_), evaluate(graph_, plan)}) {
        for (const CollectiveFigures& figures : collective_figures(*result, *tree_)) {
            const std::string told = why_exposed(*result, figures.timing);
            const bool would = told.find("it would have") != std::string::npos;
            const bool may = would && told.find(", but ") == std::string::npos;
            EXPECT_EQ(figures.could_hide_ms > 0, may) << told;
            const bool waits = told.find("; waited for") != std::string::npos;
            earlier += may && !waits;
            later += may && waits;
        }
    }
    EXPECT_GT(earlier, 0u);
    EXPECT_GT(later, 0u);
}

TEST_F(CollectiveFiguresOf, SumsAreThoseOfTheSimulation) {
    const auto baseline = evaluate_baseline(graph_);
    CollectiveSums sums;
    for (const CollectiveFigures& figures : collective_figures(*baseline, *tree_))
        sums.add(baseline->simulation.collectives[figures.timing], figures);
    EXPECT_EQ(sums.exchanges_of_halves, 0u);
    EXPECT_EQ(sums.collectives, baseline->simulation.collectives.size());
    EXPECT_NEAR(sums.exposed_ms, baseline->simulation.exposed_ms, 1e-6);
    double comm_ms = 0;
    for (const GroupTiming& group : baseline->simulation.groups) comm_ms += group.comm_ms;
    EXPECT_NEAR(sums.time_ms, comm_ms, 1e-6);
    EXPECT_GT(sums.could_hide_ms, 0);
    EXPECT_LE(sums.could_hide_ms, sums.exposed_ms);
}

}  // namespace
}  // namespace overlap
