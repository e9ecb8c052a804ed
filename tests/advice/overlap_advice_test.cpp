// Which overlaps by hand are advised, asked of small models whose advice can be counted out by hand.

#include <gtest/gtest.h>

#include "core/advice/named_moves.h"
#include "tests/advice/layers_sketch.h"

namespace overlap {
namespace {

using test::advice_for_node;
using test::LayersSketch;
using Names = std::vector<std::string>;

/// The advice for overlaps, with what it asks for in the plan: `words: directives`.
Names overlap_changes(const std::shared_ptr<const Evaluation>& evaluation, std::string_view collective) {
    Names found;
    for (const Advice& advice : advice_for_node(evaluation, collective)) {
        if (advice.plan.overlaps == evaluation->resolved->plan.overlaps) continue;
        std::string directives;
        for (const OverlapDirective& directive : advice.plan.overlaps.list)
            directives.append(directives.empty() ? "" : ", ").append(describe(directive));
        found.push_back(advice.text + ": " + directives);
    }
    return found;
}

Names moves(const std::shared_ptr<const Evaluation>& evaluation, std::string_view collective) {
    const auto& all = evaluation->simulation.collectives;
    const auto timing = std::ranges::find(
        all, collective, [&](const CollectiveTiming& each) { return evaluation->graph->name(each.start); });
    return evaluated_moves(evaluation, static_cast<std::size_t>(timing - all.begin()), RefusedMoves::told);
}

std::shared_ptr<const Evaluation> planned(const std::shared_ptr<const Graph>& graph, OverlapDirectives overlaps = {}) {
    Plan plan = make_plan(*graph, "Plan A");
    plan.overlaps = std::move(overlaps);
    return evaluate(graph, plan);
}

std::shared_ptr<const Graph> four_layers() {
    LayersSketch sketch;
    NodeId value = sketch.parameter("x");
    for (int layer = 0; layer < 4; ++layer)
        value = sketch.layer("layers." + std::to_string(layer), std::to_string(layer), value, 1, 2);
    return sketch.drawn({value});
}

TEST(OverlapAdvice, HidesBehindTheTwoBlocksBefore) {
    EXPECT_EQ(overlap_changes(planned(four_layers()), "g_3"),
              Names({"g_3 is issued before mm_2: g_3 is issued before mm_2",
                     "g_3 runs behind layers.2: g_3 runs behind layers.2",
                     "g_3 runs behind layers.1: g_3 runs behind layers.1"}));
}

TEST(OverlapAdvice, HidesBehindTheVeryFirstNode) {
    LayersSketch sketch;
    const NodeId first = sketch.compute_in("rope", "frequencies", {}, 2);
    const auto evaluation = planned(sketch.drawn({sketch.layer("layers.0", "0", first, 1, 2)}));
    EXPECT_EQ(overlap_changes(evaluation, "g_0"),
              Names({"g_0 is issued before frequencies: g_0 is issued before frequencies",
                     "g_0 runs behind rope: g_0 runs behind rope"}));
}

/// `side` needs nothing of the gather that is waited for before it; `nothing` takes no time.
std::shared_ptr<const Graph> side_compute() {
    LayersSketch sketch;
    const NodeId x = sketch.parameter("x");
    const NodeId start = sketch.gather_in("layers.0", "g_0", sketch.parameter("p_0"), 1);
    const NodeId wait = sketch.wait_in("layers.0", "w_0", start);
    const NodeId side = sketch.compute_in("side", "side", {x}, 3);
    const NodeId other = sketch.compute_in("other", "other", {x}, 3);
    const NodeId nothing = sketch.compute_in("other", "nothing", {x}, 0);
    return sketch.drawn({sketch.compute_in("layers.0", "mm_0", {side, other, nothing, wait}, 2)});
}

TEST(OverlapAdvice, WaitsAfterTheLastComputeThatDoesNotNeedIt) {
    const auto evaluation = planned(side_compute());
    EXPECT_EQ(overlap_changes(evaluation, "g_0"), Names({"g_0 is waited for after other: g_0 is waited for after other",
                                                         "g_0 runs behind side: g_0 runs behind side"}));
    EXPECT_EQ(moves(evaluation, "g_0"), Names({"Evaluated: g_0 is waited for after other: the step takes 1 ms less, 1 "
                                               "ms less is exposed in all, the peak stays"}));
}

TEST(OverlapAdvice, DoesNotWaitAfterWhatIsWaitedAfterAlready) {
    LayersSketch sketch;
    const NodeId start = sketch.gather_in("layers.0", "g_0", sketch.parameter("p_0"), 2);
    const NodeId side = sketch.compute_in("side", "side", {sketch.parameter("x")}, 1);
    const NodeId wait = sketch.wait_in("layers.0", "w_0", start);
    const auto evaluation = planned(sketch.drawn({sketch.compute_in("layers.0", "mm_0", {side, wait}, 2)}));
    EXPECT_DOUBLE_EQ(evaluation->simulation.collectives.at(0).exposed_ms, 1);
    for (const std::string& change : overlap_changes(evaluation, "g_0"))
        EXPECT_EQ(change.find(" is waited for after "), std::string::npos) << change;
}

/// Of the same collective; what the plan wants of others stays.
TEST(OverlapAdvice, TakesThePlaceOfAWishThatDoesNotHelp) {
    const auto own = planned(side_compute(), {.list = {{.collective = "g_0", .hide_behind = "layers.0"}}});
    EXPECT_EQ(overlap_changes(own, "g_0"), Names({"g_0 is waited for after other: g_0 is waited for after other",
                                                  "g_0 runs behind side: g_0 runs behind side"}));
    const auto both = planned(four_layers(), {.list = {{.collective = "g_3", .hide_behind = "layers.3"},
                                                       {.collective = "g_2", .start_before = "mm_1"}}});
    EXPECT_EQ(overlap_changes(both, "g_3"),
              Names({"g_3 is issued before mm_2: g_2 is issued before mm_1, g_3 is issued before mm_2",
                     "g_3 runs behind layers.2: g_2 is issued before mm_1, g_3 runs behind layers.2",
                     "g_3 runs behind layers.1: g_2 is issued before mm_1, g_3 runs behind layers.1"}));
}

TEST(NamedMoves, TellWhatTheStepAndThePeakDo) {
    const auto evaluation = planned(four_layers());
    EXPECT_EQ(moves(evaluation, "g_0"), Names());
    EXPECT_EQ(moves(evaluation, "g_1"), Names({"Evaluated: g_1 is issued before mm_0: the step takes 1 ms less, 1 ms "
                                               "less is exposed in all, the peak stays"}));
    EXPECT_EQ(moves(evaluation, "g_2"), Names({"Evaluated: g_2 is issued before mm_1: the step takes 1 ms less, 1 ms "
                                               "less is exposed in all, the peak is 64 B higher"}));
}

/// What is issued first holds what is waited for first.
TEST(NamedMoves, TellWhereTheStepBecomesLonger) {
    LayersSketch sketch;
    const NodeId x = sketch.parameter("x");
    const NodeId first = sketch.gather_in("layers.0", "g_0", sketch.parameter("p_0"), 1);
    const NodeId second = sketch.gather_in("layers.1", "g_1", sketch.parameter("p_1"), 1);
    const NodeId side = sketch.compute_in("side", "side", {x}, 1);
    const NodeId value = sketch.compute_in("layers.0", "mm_0", {side, sketch.wait_in("layers.0", "w_0", first)}, 0.5);
    const NodeId last = sketch.compute_in("layers.1", "mm_1", {value, sketch.wait_in("layers.1", "w_1", second)}, 2);
    const auto evaluation = planned(sketch.drawn({last}), {.list = {}, .keep_group_order = false});
    EXPECT_EQ(moves(evaluation, "g_1"),
              Names({"Evaluated: g_1 is issued before g_0: the step takes 0.5 ms more, 0.5 ms "
                     "more is exposed in all, the peak stays"}));
}

TEST(AdviceEffects, AreDifferencesOfStepExposureAndPeak) {
    const auto evaluation = planned(four_layers());
    const std::vector<Advice> all = advice_for_node(evaluation, "g_3");
    const auto behind = std::ranges::find(all, "g_3 runs behind layers.1", &Advice::text);
    ASSERT_NE(behind, all.end());
    EXPECT_EQ(behind->collective, "g_3");
    const auto effect = effect_of(*evaluation, *behind);
    // The gather of layers.2 keeps its place before that of layers.3 and is hidden too.
    EXPECT_DOUBLE_EQ(effect->step_ms, -2);
    EXPECT_DOUBLE_EQ(effect->exposed_ms, -2);
    EXPECT_EQ(effect->peak_bytes, 128);
    EXPECT_EQ(effect->refusal, "");
}

TEST(AdviceEffects, RefuseInTheWordsOfTheChangedPlan) {
    const auto evaluation = planned(four_layers());
    Advice unknown{"a pass that there is not", {}, evaluation->resolved->plan};
    unknown.plan.pipeline.push_back({"no_such_pass"});
    const std::string refusal = effect_of(*evaluation, unknown)->refusal;
    EXPECT_TRUE(refusal.starts_with("step 2 (no_such_pass): unknown pass \"no_such_pass\"; there are: ")) << refusal;
}

}  // namespace
}  // namespace overlap
