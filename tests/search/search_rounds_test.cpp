// Rounds of improvement on models of a few layers: what they try, and when a plan is left.

#include "core/search/search_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/plan/automatic_plan.h"
#include "tests/advice/layers_sketch.h"

namespace overlap::test {
namespace {

/// Two layers; the gather of the second one is exposed until it starts earlier.
std::shared_ptr<const Graph> two_layers(double exposed_ms, double compute_ms) {
    LayersSketch sketch;
    NodeId x = sketch.layer("layers.0", "0", sketch.parameter("x"), 1, compute_ms);
    x = sketch.layer("layers.1", "1", x, exposed_ms, compute_ms);
    return sketch.drawn({x});
}

struct Improved {
    std::size_t rounds = 0, evaluations = 0;
    bool exhausted = false;
    double step_ms = 0;
    std::vector<std::string> origins;  ///< of what is usable
};

/// From one plan.
Improved improved(const std::shared_ptr<const Graph>& graph, const Plan& plan, std::size_t effort = 1000,
                  bool any_order = false) {
    const CandidateEvaluator evaluator(graph, step_work(graph), nullptr, any_order);
    const LockedParts nothing_locked;
    SearchRounds rounds(evaluator, nothing_locked,
                        {.effort = effort, .threads = 1, .memory = std::nullopt, .any_order = any_order});
    rounds.evaluate({{plan, "start"}});
    std::mt19937 random(1);
    Improved result;
    result.exhausted = rounds.improve(effort, random, {}, std::nullopt, [&] { ++result.rounds; });
    result.evaluations = rounds.evaluations();
    result.step_ms = rounds.best()->step_ms;
    for (const Candidate& candidate : rounds.usable()) result.origins.push_back(candidate.origin);
    return result;
}

TEST(SearchRounds, LeaveAPlanThatThreeRoundsHaveNotHelped) {
    const Improved none = improved(two_layers(0, 10), Plan());
    EXPECT_TRUE(none.exhausted);
    EXPECT_EQ(none.rounds, 3u);
    EXPECT_EQ(none.step_ms, 21);
    // What has helped is improved in turn, and what it came from, without overlaps by hand, too.
    const Improved one = improved(two_layers(4, 10), Plan());
    EXPECT_TRUE(one.exhausted);
    EXPECT_EQ(one.rounds, 1 + 3 + 3u);
    EXPECT_EQ(one.step_ms, 21);
}

/// Else rounds would go on for gains that nobody sees.
TEST(SearchRounds, DoNotGoOnForLessThanAHundredThousandth) {
    const Improved little = improved(two_layers(1, 100'000), Plan());
    EXPECT_EQ(little.rounds, 3u);
    EXPECT_EQ(little.step_ms, 200'001);  // and yet it is the best
    EXPECT_EQ(improved(two_layers(4, 100'000), Plan()).rounds, 1 + 3 + 3u);
}

TEST(SearchRounds, EndWithTheEffort) {
    const Improved cut = improved(two_layers(4, 10), Plan(), 3);
    EXPECT_FALSE(cut.exhausted);
    EXPECT_EQ(cut.evaluations, 3u);
}

/// Four layers whose gathers are exposed, and a plan with three buckets.
struct FourLayers {
    FourLayers() {
        LayersSketch sketch;
        NodeId x = sketch.parameter("x");
        for (const char* layer : {"0", "1", "2", "3"})
            x = sketch.layer(std::string("layers.") + layer, layer, x, 4, 10);
        graph = sketch.drawn({x});
        plan = make_plan(*graph, "Plan A");
        plan.buckets = parse_bucket_entries("layers.0, layers.1+layers.2, layers.3");
    }

    std::shared_ptr<const Graph> graph;
    Plan plan;
};

TEST(SearchRounds, EvaluatePlansOnceEachThatDifferInTheirListsAlone) {
    const FourLayers four;
    const CandidateEvaluator evaluator(four.graph, step_work(four.graph));
    const LockedParts nothing_locked;
    SearchRounds rounds(evaluator, nothing_locked, {.effort = 1000, .threads = 1, .memory = std::nullopt});
    const auto evaluated = [&](const Plan& plan) { return rounds.evaluate({{plan, "x"}}).size(); };
    Plan plan = four.plan;
    for (const char* buckets : {"layers.0, layers.1", "layers.0+layers.1", "layers.1, layers.0", "layers.0", ""}) {
        plan.buckets = parse_bucket_entries(buckets);
        EXPECT_EQ(evaluated(plan), 1u) << buckets;
        EXPECT_EQ(evaluated(plan), 0u) << buckets;
        plan.name += '+';  // which nobody runs
        EXPECT_EQ(evaluated(plan), 0u) << buckets;
    }
    // Names may have the signs that lists are written with.
    plan.buckets = {{{"a", "b"}}};
    EXPECT_EQ(evaluated(plan), 1u);
    for (const char* name : {"a+b", "a, b", "a1:b", "1:a1:b", "a[b"}) {
        plan.buckets = {{{name}}};
        EXPECT_EQ(evaluated(plan), 1u) << name;
    }
    for (const OptionValue& value :
         {OptionValue(NamedIntegers{{"layers.0", 1}}), OptionValue(NamedIntegers{{"layers.0", 2}}),
          OptionValue(NamedIntegers{{"layers.1", 1}}), OptionValue(IntegerList{1, 2}), OptionValue(IntegerList{12}),
          OptionValue(IntegerList{2, 1})}) {
        plan.pipeline[0].options["module_order"] = value;
        EXPECT_EQ(evaluated(plan), 1u) << describe(value);
        EXPECT_EQ(evaluated(plan), 0u) << describe(value);
    }
}

TEST(SearchRounds, TryEachKindOfChange) {
    const FourLayers four;
    const auto expect_tried = [](const Improved& found, const std::vector<std::string>& parts) {
        for (const std::string& part : parts)
            EXPECT_TRUE(std::ranges::any_of(
                found.origins, [&](const std::string& origin) { return origin.find(part) != std::string::npos; }))
                << part << " is not in " << testing::PrintToString(found.origins);
    };
    const Improved buckets = improved(four.graph, four.plan);
    expect_tried(buckets, {"2 collectives start earlier", "runs behind layers.0", "bucket 1 taken out",
                           "layers.2 moved from bucket 2 to bucket 3", "buckets 2 and the next merged",
                           "bucket 2 split", "reassign_collective_pgs_pass"});
    const Improved automatic = improved(four.graph, automatic_plan(Plan(), *four.graph));
    expect_tried(automatic, {" set to "});
    const Improved any_order = improved(four.graph, Plan(), 1000, true);
    expect_tried(any_order, {"collectives overtake products"});
}

/// Overlaps by hand fit one choice of buckets, passes and memory, and would hold on to it.
TEST(SearchRounds, ImproveAPlanWithoutOverlapsByHandBesideOneWithThem) {
    const FourLayers four;
    const CandidateEvaluator evaluator(four.graph, step_work(four.graph));
    const LockedParts nothing_locked;
    SearchRounds rounds(evaluator, nothing_locked, {.effort = 1000, .threads = 1, .memory = std::nullopt});
    rounds.evaluate({{four.plan, "start"}});
    std::mt19937 random(1);
    std::vector<std::size_t> ends;
    rounds.improve(1000, random, {}, std::nullopt, [&] { ends.push_back(rounds.usable().size()); });
    ASSERT_GT(ends.size(), 2u);
    const auto is_plain = [](const Candidate& candidate) { return candidate.plan.overlaps.list.empty(); };
    const std::vector<Candidate>& tried = rounds.usable();
    const auto best_of_first = std::ranges::min_element(
        tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(ends[0]), {}, &Candidate::step_ms);
    ASSERT_FALSE(is_plain(*best_of_first));
    EXPECT_TRUE(std::any_of(tried.begin() + static_cast<std::ptrdiff_t>(ends[0]), tried.end(), is_plain));
}

/// What is beyond the limit may lead to what is within it.
TEST(SearchRounds, ImproveForAnotherLimitThanThatOfTheSearch) {
    const auto graph = two_layers(4, 10);
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const LockedParts nothing_locked;
    for (const bool unlimited : {false, true}) {
        const std::optional<std::int64_t> limit = 1;
        SearchRounds rounds(evaluator, nothing_locked, {.effort = 1000, .threads = 1, .memory = limit});
        rounds.evaluate({{Plan(), "start"}});
        EXPECT_FALSE(rounds.is_near_fastest(2)) << "nothing is within the limit";
        std::mt19937 random(1);
        std::size_t count = 0;
        rounds.improve(1000, random, {}, unlimited ? std::nullopt : limit, [&] { ++count; });
        EXPECT_EQ(rounds.best(), nullptr);
        // The shorter step leads on only where any peak will do.
        EXPECT_EQ(count, unlimited ? 1 + 3 + 3u : 3u);
    }
}

}  // namespace
}  // namespace overlap::test
