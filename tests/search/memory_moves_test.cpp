#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"
#include "core/plan/memory_edits.h"
#include "core/plan/plan.h"
#include "core/search/minimal_plan.h"
#include "core/search/moves.h"
#include "core/search/plan_elements.h"
#include "core/search/plan_search.h"
#include "core/search/portfolio.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> graph_of(const std::string& name) {
    return with_shared_links(test_graph(name), LinkSharing::by_host);
}

SearchOptions options_of(std::size_t effort) {
    SearchOptions options;
    options.effort = effort;
    options.threads = 2;
    return options;
}

TEST(MemoryMoves, AreThoseOfGraphsThatBeginBeforeTheMemoryPasses) {
    EXPECT_TRUE(memory_settings(*graph_of("llama3_8b_bw_64_1d")).empty());
    EXPECT_TRUE(memory_settings(*graph_of("llama3_debugmodel_fsdp8.prebucket")).empty());
    const auto graph = graph_of("llama3_debugmodel_fsdp8");
    const std::vector<MemoryChoice> settings = memory_settings(*graph);
    ASSERT_FALSE(settings.empty());
    const Plan start = preset_proposals(*graph).front().plan;
    const std::vector<Proposal> moves = memory_moves(start, settings);
    EXPECT_EQ(moves.size(), settings.size());
    const CandidateEvaluator evaluator(graph, step_work(graph));
    std::int64_t least = evaluator.evaluate(start, "preset").corrected_peak_bytes, most = least;
    for (const Proposal& move : moves) {
        const Candidate candidate = evaluator.evaluate(move.plan, move.origin);
        least = std::min(least, candidate.corrected_peak_bytes);
        most = std::max(most, candidate.corrected_peak_bytes);
    }
    EXPECT_LT(least, most);
    // What has a section can do without it.
    EXPECT_EQ(memory_moves(moves.front().plan, settings).back().plan.memory, std::nullopt);
}

/// Gathers in the backward pass of the last layers come soonest.
TEST(MemoryMoves, GathersAreKeptInSomeOfTheLastLayers) {
    std::vector<std::string> titles;
    for (const MemoryChoice& setting : memory_settings(*graph_of("llama3_debugmodel_fsdp8"))) {
        const std::size_t kept = setting.title.find("gathers kept in last");
        if (kept == std::string::npos) continue;
        titles.push_back(setting.section.policy + ": " + setting.title.substr(kept));
        ASSERT_EQ(setting.section.rules.size(), 1u) << setting.title;
        const MemoryRule& rule = setting.section.rules.front();
        EXPECT_EQ(rule.action, MemoryAction::keep);
        EXPECT_TRUE(rule.operators.empty());
        EXPECT_EQ(rule.modules.back(), "layers.5") << setting.title;
        const std::string count = std::to_string(rule.modules.size());
        EXPECT_NE(setting.title.find("in last " + count), std::string::npos) << setting.title;
    }
    // Of six layers a quarter, half and three quarters of them.
    EXPECT_EQ(titles,
              (std::vector<std::string>{"default: gathers kept in last 1 layer", "full: gathers kept in last 1 layer",
                                        "default: gathers kept in last 3", "default: gathers kept in last 4",
                                        "full: gathers kept in last 3", "full: gathers kept in last 4"}));
}

/// As few bytes as there can be.
TEST(MemoryMoves, AnOperatorOfOneByteIsSavedToo) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId again =
        sketch.call("any_recomputed", "aten.any.default", GraphSketch::values({x}), {sketch.tensor("bool", {})}, 1);
    const auto graph = std::make_shared<const Graph>(sketch.finish({again}));
    Plan plan;
    plan.pipeline = {{std::string(memory_tag_pass)}};
    const std::vector<Proposal> moves = operator_memory_moves(*evaluate(graph, plan), 8);
    ASSERT_EQ(moves.size(), 1u);
    EXPECT_EQ(moves.front().origin, "memory: save aten.any.default");
}

Plan plan_that_recomputes_all(const Graph& graph) {
    MemorySection section;
    section.policy = "full";
    return edits::with_memory(preset_proposals(graph).front().plan, section);
}

/// What saves memory costs time, so by its worth alone it is the first to be taken out.
TEST(MinimalPlan, DoesWithoutWhatIsWorthNothingAndKeepsWhatSavesMemory) {
    const auto graph = graph_of("llama3_8b_fsdp64");
    const Plan plan = plan_that_recomputes_all(*graph);
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const Candidate found = evaluator.evaluate(plan, "x");
    ASSERT_TRUE(found.usable()) << found.refusal;
    const LockedParts nothing_locked;
    const SearchRounds rounds(evaluator, nothing_locked, {.effort = 600, .threads = 2, .memory = std::nullopt});
    const MinimalPlan minimal =
        minimal_plan(evaluator, rounds, found, {found.step_ms * (1 + alike_share), found.corrected_peak_bytes},
                     [](const Plan&) { return true; });
    EXPECT_TRUE(minimal.candidate.plan.memory);
    EXPECT_LE(minimal.candidate.corrected_peak_bytes, found.corrected_peak_bytes);
    EXPECT_LT(description_length(minimal.candidate.plan), description_length(plan));
}

/// With an effort that is used up long before all parts of the plan have been weighed.
TEST(MinimalPlan, WeighsAllPartsWhateverTheEffort) {
    const auto graph = graph_of("llama3_8b_fsdp64");
    const Plan plan = plan_that_recomputes_all(*graph);
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const Candidate found = evaluator.evaluate(plan, "x");
    ASSERT_TRUE(found.usable()) << found.refusal;
    ASSERT_GT(elements_of(plan).size(), 30u);
    const LockedParts nothing_locked;
    const SearchRounds rounds(evaluator, nothing_locked, {.effort = 12, .threads = 2, .memory = std::nullopt});
    const MinimalPlan minimal = minimal_plan(evaluator, rounds, found, {found.step_ms, found.corrected_peak_bytes},
                                             [](const Plan&) { return true; });
    const std::vector<PlanElement> all = worth_of_parts(graph, minimal.candidate.plan, options_of(12));
    ASSERT_EQ(minimal.elements.size(), all.size());
    for (std::size_t index = 0; index < all.size(); ++index) {
        EXPECT_EQ(minimal.elements[index].element, all[index].element);
        EXPECT_EQ(minimal.elements[index].worth_ms, all[index].worth_ms);
        EXPECT_EQ(minimal.elements[index].worth_bytes, all[index].worth_bytes);
    }
    EXPECT_NE(std::ranges::find(all, "memory section, policy full, with its passes", &PlanElement::element), all.end());
    EXPECT_GE(minimal.evaluations, elements_of(minimal.candidate.plan).size());
}

/// Alone, a section without its passes, or one of these, is not what it says.
TEST(MinimalPlan, WeighsTheMemorySectionWithItsPassesByStepAndPeak) {
    const auto graph = graph_of("llama3_8b_fsdp64");
    MemorySection section;
    section.policy = "full";
    section.rules = {{MemoryAction::keep, {"layers.31"}, {}}};
    const Plan plan = edits::with_memory(preset_proposals(*graph).front().plan, section);
    const SearchOptions options = options_of(600);
    const std::vector<PlanElement> parts = worth_of_parts(graph, plan, options);
    const auto memory = std::ranges::find(parts, "memory section, policy full, with its passes", &PlanElement::element);
    ASSERT_NE(memory, parts.end());
    for (const PlanElement& part : parts)
        EXPECT_FALSE(part.element.starts_with("pass ") && takes_memory_section(part.element.substr(5))) << part.element;
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const Candidate with = evaluator.evaluate(plan, ""),
                    none = evaluator.evaluate(edits::without_memory_passes(edits::without_memory(plan)), "");
    ASSERT_TRUE(none.usable()) << none.refusal;
    EXPECT_DOUBLE_EQ(memory->worth_ms, none.step_ms - with.step_ms);
    EXPECT_EQ(memory->worth_bytes, none.corrected_peak_bytes - with.corrected_peak_bytes);
    EXPECT_GT(memory->worth_bytes, 0);
    // Its rules are parts of their own.
    const auto rule = std::ranges::find(parts, "memory: keep layers.31", &PlanElement::element);
    ASSERT_NE(rule, parts.end());
    MemorySection no_rule = section;
    no_rule.rules.clear();
    const Candidate without_rule = evaluator.evaluate(edits::with_memory(plan, no_rule), "");
    EXPECT_DOUBLE_EQ(rule->worth_ms, without_rule.step_ms - with.step_ms);
    EXPECT_EQ(rule->worth_bytes, without_rule.corrected_peak_bytes - with.corrected_peak_bytes);
    // So are passes that say what is recomputed without a section.
    const std::vector<ElementRemoval> own = elements_of(edits::without_memory(plan));
    EXPECT_EQ(std::ranges::count(own, "memory passes", &ElementRemoval::element), 1);
}

TEST(MemoryMoves, SingleOperatorsAreSavedOrComputedAgain) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8");
    const Plan start = preset_proposals(*graph).front().plan;
    EXPECT_TRUE(operator_memory_moves(*evaluate_baseline(graph), 8).empty());
    MemorySection section;
    section.policy = "full";
    const auto all_again = evaluate(graph, edits::with_memory(start, section));
    const std::vector<Proposal> moves = operator_memory_moves(*all_again, 8);
    ASSERT_FALSE(moves.empty());
    for (const Proposal& move : moves) {
        ASSERT_TRUE(move.plan.memory) << move.origin;
        ASSERT_EQ(move.plan.memory->rules.size(), 1u) << move.origin;
        EXPECT_EQ(move.plan.memory->rules.front().operators.size(), 1u) << move.origin;
    }
    // Each does what it says: what is saved is not computed again, and takes memory.
    const auto saved = evaluate(graph, moves.front().plan);
    ASSERT_EQ(moves.front().plan.memory->rules.front().action, MemoryAction::save);
    ASSERT_FALSE(saved->refused);
    EXPECT_LT(saved->simulation.compute_ms, all_again->simulation.compute_ms);
    EXPECT_GT(saved->corrected_memory.peak_bytes, all_again->corrected_memory.peak_bytes);
}

TEST(MemoryMoves, LessMemoryThanAnyPresetTakesIsFound) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8");
    SearchOptions options = options_of(200);
    const SearchResult free = search_plans(graph, options);
    std::int64_t least = free.best.corrected_peak_bytes;
    for (const Candidate& baseline : free.baselines)
        if (baseline.usable()) least = std::min(least, baseline.corrected_peak_bytes);
    EXPECT_LT(free.front.front().peak_bytes, least);
    EXPECT_TRUE(free.front.front().plan.memory);
}

TEST(MemoryMoves, OfAFastPlanAreTriedWithinALimit) {
    const auto graph = with_shared_links(
        with_cost_model(test_graph("llama3_debugmodel_fsdp8"), *built_in_cost_model("h100-sxm")).graph,
        LinkSharing::by_host);
    SearchOptions options = options_of(150);
    const CandidateEvaluator evaluator(graph, step_work(graph));
    std::size_t tried = 0;
    for (const std::int64_t limit : {330'000'000, 400'000'000, 450'000'000}) {
        options.memory_limit = limit;
        const SearchResult found = search_plans(graph, options);
        const FrontPoint& fast = found.front.back();
        ASSERT_GT(fast.peak_bytes, limit);
        for (const FrontPoint& point : found.front) {
            if (point.peak_bytes > limit || !point.plan.memory) continue;
            const Candidate candidate =
                evaluator.evaluate(edits::with_memory(fast.plan, *point.plan.memory), point.origin);
            if (!candidate.usable() || candidate.corrected_peak_bytes > limit) continue;
            ++tried;
            EXPECT_LE(found.best.step_ms, candidate.step_ms) << limit << ' ' << point.origin;
        }
    }
    EXPECT_GT(tried, 0u);
}

/// Half of the memory that fast plans take suffices where gathers have a process group of their own: then less is in
/// flight, and collectives hold less until their waits.
TEST(MemoryMoves, AFastPlanIsFoundThatTakesHalfTheMemory) {
    SearchOptions options = options_of(220);
    options.memory_limit = std::int64_t{30} << 30;
    const SearchResult found =
        search_plans(with_shared_links(test_graph("llama3_8b_fsdp64"), LinkSharing::by_host), options);
    EXPECT_LE(found.best.corrected_peak_bytes, *options.memory_limit);
    EXPECT_LT(found.best.step_ms, 1.02 * found.bound.step_ms);
}

/// Without a limit the front has such a plan, for who looks at it.
TEST(MemoryMoves, TheFrontHasAFastPlanThatTakesMuchLessMemory) {
    const SearchResult found =
        search_plans(with_shared_links(test_graph("llama3_8b_fsdp64"), LinkSharing::by_host), options_of(220));
    const FrontPoint& fastest = found.front.back();
    EXPECT_TRUE(std::ranges::any_of(found.front, [&](const FrontPoint& point) {
        return 10 * point.peak_bytes < 6 * fastest.peak_bytes && point.step_ms < 1.02 * fastest.step_ms;
    }));
}

TEST(MemoryMoves, LessIsInFlightThanMayBeNow) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    Plan plan = grid_proposals(*graph).front().plan;
    plan.pipeline.back().options["max_in_flight_gb"] = 2.0;
    std::vector<double> tried_gb;
    for (const Proposal& move : in_flight_moves(plan)) {
        const OptionValue* const value = move.plan.pipeline.back().options.find("max_in_flight_gb");
        ASSERT_TRUE(value);
        tried_gb.push_back(std::get<double>(*value));
    }
    EXPECT_EQ(tried_gb, (std::vector<double>{1.0, 0.5}));
    plan.pipeline.pop_back();  // the automatic pass
    EXPECT_TRUE(in_flight_moves(plan).empty());
}

}  // namespace
}  // namespace overlap::test
