#include "core/views/batch_halves.h"

#include <gtest/gtest.h>

#include <array>

#include "core/plan/presets.h"
#include "core/views/collective_figures.h"
#include "core/views/timeline_of.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// A real step whose experts' batch has been halved, as torchtitan orders the halves.
class BatchHalvesTest : public testing::Test {
  protected:
    BatchHalvesTest() {
        const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
        evaluation_ = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "As torchtitan runs it"));
    }

    std::shared_ptr<const Evaluation> evaluation_;
};

TEST_F(BatchHalvesTest, AreFoundWithTheirModule) {
    ASSERT_FALSE(evaluation_->refused);
    const BatchHalves halves(*evaluation_->graph);
    ASSERT_TRUE(halves.any());
    std::array<std::size_t, 2> exchanges{};
    for (const CollectiveTiming& timing : evaluation_->simulation.collectives) {
        const int half = halves.half_of(timing.start);
        EXPECT_EQ(half < 0, halves.module_of(timing.start).empty());
        if (half >= 0 && timing.kind == CollectiveKind::all_to_all) ++exchanges.at(static_cast<std::size_t>(half));
    }
    EXPECT_GT(exchanges[0], 0u);
    EXPECT_EQ(exchanges[0], exchanges[1]);
    EXPECT_EQ(halves.half_of(0), -1);
    EXPECT_TRUE(halves.with(0).empty());
}

TEST_F(BatchHalvesTest, AHalfGoesFromItsDispatchOverTheExpertsToTheCombination) {
    const BatchHalves halves(*evaluation_->graph);
    const Graph& graph = *evaluation_->graph;
    NodeId dispatch = 0;
    while (halves.half_of(dispatch) < 0 || graph.target_info(dispatch).starts != CollectiveKind::all_to_all) ++dispatch;
    const std::vector<HalfStep> steps = steps_of_half(*evaluation_, halves, dispatch);
    ASSERT_GE(steps.size(), 2u);
    for (const HalfStep& step : steps) {
        EXPECT_LT(step.from, step.to);
        for (const NodeId node : {step.from, step.to}) {
            EXPECT_EQ(halves.half_of(node), halves.half_of(dispatch));
            EXPECT_EQ(halves.module_of(node), halves.module_of(dispatch));
        }
    }
    const auto computes = [&](NodeId node) { return evaluation_->simulation.collective_of_node[node] < 0; };
    for (std::size_t step = 0; step < steps.size(); ++step)
        EXPECT_NE(computes(steps[step].from), computes(steps[step].to));
    EXPECT_TRUE(steps_of_half(*evaluation_, halves, 0).empty());
}

TEST_F(BatchHalvesTest, EachHidesCommunicationOfTheOther) {
    const BatchHalves halves(*evaluation_->graph);
    double hidden_ms = 0;
    for (std::size_t index = 0; index < evaluation_->simulation.collectives.size(); ++index) {
        const CollectiveTiming& timing = evaluation_->simulation.collectives[index];
        const double of_it_ms = hidden_by_other_half_ms(*evaluation_, halves, index);
        EXPECT_LE(of_it_ms, timing.end_ms - timing.start_ms + 1e-9);
        hidden_ms += of_it_ms;
    }
    EXPECT_GT(hidden_ms, 0);
}

TEST_F(BatchHalvesTest, CollectivesOfBothHaveAModule) {
    const BatchHalves halves(*evaluation_->graph);
    const auto tree = modules_of(*evaluation_, evaluation_->input);
    std::array<std::size_t, 2> with_module{};
    for (const CollectiveFigures& figures : collective_figures(*evaluation_, *tree)) {
        const int half = halves.half_of(evaluation_->simulation.collectives[figures.timing].start);
        if (half < 0) continue;
        EXPECT_NE(figures.module, "");
        ++with_module.at(static_cast<std::size_t>(half));
    }
    EXPECT_GT(with_module[1], 0u);
    EXPECT_EQ(with_module[0], with_module[1]);
}

TEST_F(BatchHalvesTest, WhatTheOtherHalfHidesIsSummed) {
    const BatchHalves halves(*evaluation_->graph);
    const auto tree = modules_of(*evaluation_, evaluation_->input);
    CollectiveSums sums;
    double hidden_ms = 0, exchanges_ms = 0;
    std::uint32_t exchanges = 0;
    for (const CollectiveFigures& figures : collective_figures(*evaluation_, *tree)) {
        const CollectiveTiming& timing = evaluation_->simulation.collectives[figures.timing];
        EXPECT_EQ(figures.by_other_half_ms, hidden_by_other_half_ms(*evaluation_, halves, figures.timing));
        EXPECT_LE(figures.by_other_half_ms, figures.hidden_ms);
        sums.add(timing, figures);
        if (halves.half_of(timing.start) < 0 || timing.kind != CollectiveKind::all_to_all) continue;
        ++exchanges;
        exchanges_ms += timing.end_ms - timing.start_ms;
        hidden_ms += figures.by_other_half_ms;
    }
    EXPECT_GT(exchanges, 0u);
    EXPECT_LT(exchanges, sums.collectives);
    EXPECT_EQ(sums.exchanges_of_halves, exchanges);
    EXPECT_DOUBLE_EQ(sums.exchanges_ms, exchanges_ms);
    EXPECT_DOUBLE_EQ(sums.hidden_by_other_half_ms, hidden_ms);
    EXPECT_GT(hidden_ms, 0);
}

/// Halving a batch saves no compute: tokens of several sequences are folded into one dimension here.
TEST_F(BatchHalvesTest, AttentionOfBothTakesWhatTheWholeDid) {
    const auto of_attention = [](const Evaluation& evaluation) {
        double sum_ms = 0;
        for (NodeId node = 0; node < evaluation.graph->node_count(); ++node)
            if (evaluation.graph->target(node).starts_with("higher_order.flex_attention"))
                sum_ms += evaluation.times_ms[node];
        return sum_ms;
    };
    const double whole_ms = of_attention(*evaluate_baseline(evaluation_->original));
    EXPECT_GT(whole_ms, 10);
    EXPECT_NEAR(of_attention(*evaluation_), whole_ms, 0.01 * whole_ms);
}

TEST_F(BatchHalvesTest, HaveTonesOfTheirOwnInTheTimeline) {
    const auto timeline = timeline_of(*evaluation_);
    EXPECT_TRUE(timeline->has_role(EventRole::first_half) && timeline->has_role(EventRole::second_half));
    const auto plain = timeline_of(*evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket")));
    EXPECT_FALSE(plain->has_role(EventRole::first_half) || plain->has_role(EventRole::second_half));
    EXPECT_TRUE(plain->has_role(EventRole::compute));
}

TEST(BatchHalves, AGraphWithoutThemHasNone) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const BatchHalves halves(*graph);
    EXPECT_FALSE(halves.any());
    EXPECT_EQ(halves.half_of(graph->node_count() - 1), -1);
}

}  // namespace
}  // namespace overlap
