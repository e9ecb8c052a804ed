// What minimal_plan() takes out of plans, on models of a few layers.

#include "core/search/minimal_plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/advice/layers_sketch.h"

namespace overlap::test {
namespace {

constexpr std::int64_t any_peak = std::numeric_limits<std::int64_t>::max();

/// Layers whose gathers are hidden by hand, each of them alone: what is left of a step of 1,000 ms.
struct HiddenGathers {
    /// @param gathers_ms how long the gather of each layer behind the first is exposed without its overlap.
    explicit HiddenGathers(const std::vector<double>& gathers_ms) {
        LayersSketch sketch;
        const auto layers = static_cast<double>(gathers_ms.size());
        NodeId x = sketch.layer("layers.0", "0", sketch.parameter("x"), 100, 900 - 100 * layers);
        for (std::size_t index = 0; index < gathers_ms.size(); ++index) {
            const std::string before = std::to_string(index), name = std::to_string(index + 1);
            x = sketch.layer("layers." + name, name, x, gathers_ms[index], 100);
            plan.overlaps.list.push_back({.collective = "g_" + name, .start_before = "mm_" + before});
        }
        graph = sketch.drawn({x});
    }

    /// @param effort of the search, of which a sixth may be used, or eight evaluations.
    MinimalPlan minimal(double most_ms, std::size_t effort = 600, const LockedParts& locked = {}) const {
        const CandidateEvaluator evaluator(graph, step_work(graph));
        const Candidate found = evaluator.evaluate(plan, "found");
        EXPECT_TRUE(found.usable()) << found.refusal;
        EXPECT_EQ(found.step_ms, 1000);
        const SearchRounds rounds(evaluator, locked, {.effort = effort, .threads = 1, .memory = std::nullopt});
        return minimal_plan(evaluator, rounds, found, {most_ms, any_peak}, [](const Plan&) { return true; });
    }

    std::shared_ptr<const Graph> graph;
    Plan plan;
};

std::vector<std::string> hidden(const MinimalPlan& minimal) {
    std::vector<std::string> names;
    for (const OverlapDirective& directive : minimal.candidate.plan.overlaps.list)
        names.push_back(directive.collective);
    return names;
}

using Texts = std::vector<std::string>;

TEST(MinimalPlanOfLayers, TakesOutWhatIsWorthLessThanAThousandth) {
    EXPECT_EQ(hidden(HiddenGathers({1}).minimal(2000)), Texts{"g_1"});
    const MinimalPlan less = HiddenGathers({0.99}).minimal(2000);
    EXPECT_EQ(hidden(less), Texts{});
    EXPECT_TRUE(less.elements.empty());
    EXPECT_DOUBLE_EQ(less.candidate.step_ms, 1000.99);
    EXPECT_EQ(hidden(HiddenGathers({0.5, 2, 0.25}).minimal(2000)), Texts{"g_2"});
}

TEST(MinimalPlanOfLayers, TellsWhatTheRestIsWorth) {
    const MinimalPlan minimal = HiddenGathers({2, 0.5, 8, 4}).minimal(2000);
    ASSERT_EQ(minimal.elements.size(), 3u);
    const Texts names{"g_3", "g_4", "g_1"};
    const std::vector<double> worth_ms{8, 4, 2};
    for (std::size_t index = 0; index < names.size(); ++index) {
        EXPECT_TRUE(minimal.elements[index].element.starts_with(names[index] + ' ')) << minimal.elements[index].element;
        EXPECT_NEAR(minimal.elements[index].worth_ms, worth_ms[index], 1e-9);
    }
}

/// With the eight evaluations that it may make: four to weigh the parts, all of them at once, then half of them.
TEST(MinimalPlanOfLayers, HalvesWhatCannotBeTakenOutTogether) {
    const HiddenGathers model({0.4, 0.3, 0.2, 0.1});
    EXPECT_EQ(hidden(model.minimal(1000.5, 12)), (Texts{"g_1", "g_2"}));
    // What is worth least goes first, as long as the step stays within what it may be.
    EXPECT_EQ(hidden(model.minimal(1000.05)), (Texts{"g_1", "g_2", "g_3", "g_4"}));
    EXPECT_EQ(hidden(model.minimal(1001)), Texts{});
}

/// What saves memory costs time, so by its worth alone it would be the first to go.
TEST(MinimalPlanOfLayers, StaysWithinThePeak) {
    LayersSketch sketch;
    const NodeId x = sketch.parameter("x"), p = sketch.parameter("p");
    const NodeId gathered = sketch.gather_in("layers.0", "g", p, 1);
    const NodeId large =
        sketch.call("large", "aten.mm.default", GraphSketch::values({x}), {sketch.tensor("float32", {1000})}, 2);
    const NodeId small = sketch.compute("small", {large}, 2);
    const NodeId last = sketch.compute("last", {small, sketch.wait_in("layers.0", "w", gathered)}, 1);
    const auto graph = sketch.drawn({last});
    const CandidateEvaluator evaluator(graph, step_work(graph));
    Plan plan;
    plan.overlaps.list = {{.collective = "g", .start_after = "small"}};
    const Candidate found = evaluator.evaluate(plan, "found"), other = evaluator.evaluate(Plan(), "other");
    ASSERT_TRUE(found.usable()) << found.refusal;
    EXPECT_LT(other.step_ms, found.step_ms);
    ASSERT_GT(other.corrected_peak_bytes, found.corrected_peak_bytes);
    const LockedParts nothing;
    const SearchRounds rounds(evaluator, nothing, {.effort = 600, .threads = 1, .memory = std::nullopt});
    const auto left = [&](std::int64_t most_bytes) {
        return hidden(minimal_plan(evaluator, rounds, found, {1000, most_bytes}, [](const Plan&) { return true; }));
    };
    EXPECT_EQ(left(other.corrected_peak_bytes - 1), Texts{"g"});
    EXPECT_EQ(left(other.corrected_peak_bytes), Texts{});
}

TEST(MinimalPlanOfLayers, KeepsWhatIsLocked) {
    const HiddenGathers model({0.4, 0.3});
    PlanLocks locks;
    add_lock(locks, "overlap:g_2", model.plan);
    EXPECT_EQ(hidden(model.minimal(2000, 600, LockedParts(model.plan, locks))), Texts{"g_2"});
}

}  // namespace
}  // namespace overlap::test
