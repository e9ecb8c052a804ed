// Parts of the search by themselves: elements of plans, moves, evaluated plans.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/search/block_plans.h"
#include "core/search/moves.h"
#include "core/search/plan_elements.h"
#include "core/search/portfolio.h"
#include "tests/advice/layers_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

using Texts = std::vector<std::string>;

Texts origins(const std::vector<Proposal>& proposals) {
    Texts texts;
    for (const Proposal& proposal : proposals) texts.push_back(proposal.origin);
    return texts;
}

/// A plan with one element of each kind, and more.
Plan full_plan() {
    Plan plan;
    plan.overlaps.list = {{.collective = "a", .start_before = "b"}, {.collective = "c", .wait_after = "d"}};
    plan.buckets = parse_bucket_entries("layers.0, layers.1");
    MemorySection memory;
    memory.policy = "full";
    memory.rules = {{MemoryAction::save, {"layers.0"}, {}}, {MemoryAction::recompute, {"layers.1"}, {}}};
    plan.memory = memory;
    plan.pipeline = {{"eliminate_dead_code_pass"},
                     {"canonicalize_graph_pass", {}, false},
                     {std::string(memory_tag_pass)},
                     {std::string(automatic_pass), {{"max_in_flight_gb", 5.0}, {"collective_bucketing", true}}},
                     {"stable_topological_sort"}};
    return plan;
}

TEST(PlanElements, AreTheirPartsInWords) {
    const std::vector<ElementRemoval> elements = elements_of(full_plan());
    Texts texts;
    for (const ElementRemoval& element : elements) texts.push_back(element.element);
    ASSERT_EQ(texts.size(), 12u);
    EXPECT_EQ(texts[0], "a is issued before b");
    EXPECT_EQ(texts[2], "bucket layers.0");
    EXPECT_EQ(texts[4], "memory section, policy full, with its passes");
    EXPECT_TRUE(texts[5].starts_with("memory: ")) << texts[5];
    EXPECT_EQ((Texts{texts.begin() + 7, texts.end()}),
              (Texts{"pass eliminate_dead_code_pass", "pass schedule_overlap_bucketing",
                     "max_in_flight_gb = 5 of schedule_overlap_bucketing",
                     "collective_bucketing = true of schedule_overlap_bucketing", "pass stable_topological_sort"}));
    // The section and its passes by themselves.
    Plan passes = full_plan(), section = full_plan();
    passes.memory.reset();
    section.pipeline.clear();
    EXPECT_EQ(elements_of(passes)[4].element, "memory passes");
    EXPECT_EQ(elements_of(section)[4].element, "memory section, policy full");
}

TEST(PlanElements, AreTakenOutOneByOneAndTogether) {
    const Plan plan = full_plan();
    const std::vector<ElementRemoval> elements = elements_of(plan);
    for (const ElementRemoval& element : elements) {
        SCOPED_TRACE(element.element);
        const Plan changed = without(plan, {element});
        // The memory section goes with its two rules, and a pass with its two options.
        EXPECT_EQ(elements_of(changed).size(),
                  elements.size() - (element.element.starts_with("memory section")          ? 3
                                     : element.element == "pass schedule_overlap_bucketing" ? 3
                                                                                            : 1));
        const auto left = elements_of(changed);
        EXPECT_TRUE(
            std::ranges::none_of(left, [&](const ElementRemoval& each) { return each.element == element.element; }));
    }
    const Plan changed = without(plan, {elements[1], elements[2], elements[6], elements[7]});
    EXPECT_EQ(changed.overlaps.list.at(0).collective, "a");
    EXPECT_EQ(changed.buckets.at(0).modules, Texts{"layers.1"});
    EXPECT_EQ(changed.memory->rules.size(), 1u);
    EXPECT_EQ(changed.pipeline.at(0).pass, "canonicalize_graph_pass");
}

TEST(DescriptionLength, CountsWhatThereIsToSay) {
    Plan plan = full_plan();
    // Buckets of a module each; passes that are on, one of them with two options; a policy and rules; directives.
    EXPECT_EQ(description_length(plan), 2 * 2u + (1 + 1 + 3 + 1) + 3 + 2 * 2);
    EXPECT_EQ(description_length(Plan()), 0u);
    plan.buckets = {{{"a", "b"}}};  // one bucket, and its two modules
    EXPECT_EQ(description_length(plan), 3u + (1 + 1 + 3 + 1) + 3 + 2 * 2);
}

TEST(InFlightMoves, AreLessThanIsAllowed) {
    Plan plan;
    EXPECT_TRUE(in_flight_moves(plan).empty());
    plan.pipeline = {{"eliminate_dead_code_pass"}, {std::string(automatic_pass)}};
    EXPECT_EQ(origins(in_flight_moves(plan)),
              (Texts{"at most 5 GB in flight", "at most 3 GB in flight", "at most 2 GB in flight",
                     "at most 1 GB in flight", "at most 0.5 GB in flight"}));
    plan.pipeline[1].options["max_in_flight_gb"] = 2.0;
    const std::vector<Proposal> less = in_flight_moves(plan);
    EXPECT_EQ(origins(less), (Texts{"at most 1 GB in flight", "at most 0.5 GB in flight"}));
    EXPECT_EQ(less[1].plan.pipeline[1].options, (Options{{"max_in_flight_gb", 0.5}}));
}

TEST(OptionMoves, ChangeOneOptionOfTheAutomaticPass) {
    std::mt19937 random(1);
    EXPECT_TRUE(option_moves(Plan(), random, 10).empty());
    Plan plan;
    plan.pipeline = {{"eliminate_dead_code_pass"}, {std::string(automatic_pass)}};
    const std::vector<Proposal> moves = option_moves(plan, random, 200);
    EXPECT_GT(moves.size(), 100u);
    EXPECT_LE(moves.size(), 200u);
    for (const Proposal& move : moves) {
        const Options& options = move.plan.pipeline[1].options;
        ASSERT_EQ(std::distance(options.begin(), options.end()), 1);
        const auto& [option, value] = *options.begin();
        EXPECT_EQ(move.origin, option + " set to " + describe(value));
    }
    // What an option is already is no change.
    plan.pipeline[1].options["collective_bucketing"] = true;
    const std::vector<Proposal> others = option_moves(plan, random, 300);
    ASSERT_FALSE(others.empty());
    for (const Proposal& move : others) EXPECT_NE(move.plan.pipeline, plan.pipeline);
}

TEST(OptionMoves, TryEachOfTheseValues) {
    std::mt19937 random(1);
    Plan plan;
    plan.pipeline = {{std::string(automatic_pass)}};
    std::map<std::string, std::set<std::string>> tried;
    for (const Proposal& move : option_moves(plan, random, 5000)) {
        const auto& [option, value] = *move.plan.pipeline[0].options.begin();
        tried[option].insert(describe(value));
    }
    const std::set<std::string> flags{"true", "false"};
    const std::map<std::string, std::set<std::string>> expected = {
        {"bucket_exposed_first", flags},
        {"bucket_mode",
         {"the string \"default\"", "the string \"custom_ops\"", "the string \"custom_ops_multidtype\""}},
        {"bucket_only_internode_comms", flags},
        {"collective_bucketing", flags},
        {"compute_overlap_multipler", {"0.5", "0.8", "1", "1.2", "1.5", "2", "4"}},
        {"enable_fusion_regions", flags},
        {"max_coll_distance", {"10", "50", "200", "2000"}},
        {"max_compute_pre_fetch", {"10", "50", "200", "100000"}},
        {"max_in_flight_gb", {"0.5", "1", "2", "5", "10", "1000"}},
        // Null, which takes a limit away, is tried where there is one.
        {"max_memory_increase_gb", {"0", "0.5", "1", "4"}},
        {"max_memory_increase_ratio", {"0", "0.05", "0.2", "0.5"}},
        {"max_off_bucket_gb", {"0.1", "0.5", "2"}},
        {"pre_bucketing_fsdp_collectives", flags},
        {"pre_bucketing_fsdp_collectives_bucket_cap_mb", {"50", "200", "1000"}},
        {"prioritize_bucketing_during_scheduling", flags},
    };
    EXPECT_EQ(tried, expected);
}

/// Three layers of which each gather is waited for right behind its start.
std::shared_ptr<const Graph> layers() {
    LayersSketch sketch;
    NodeId x = sketch.parameter("x");
    for (int layer = 0; layer < 3; ++layer)
        x = sketch.layer("layers." + std::to_string(layer), std::to_string(layer), x, 1 + layer, 4);
    return sketch.drawn({x});
}

TEST(OverlapMoves, StartTheLongestExposedEarlier) {
    Plan plan;
    const std::vector<Proposal> moves = overlap_moves(*evaluate(layers(), plan));
    ASSERT_EQ(origins(moves).size(), 4u) << testing::PrintToString(origins(moves));
    EXPECT_EQ(origins(moves), (Texts{"2 collectives start earlier", "2 collectives start earlier",
                                     "2 collectives start earlier, waited for later",
                                     "2 collectives start earlier, waited for later"}));
    const std::vector<OverlapDirective>& list = moves[0].plan.overlaps.list;
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].collective, "g_2");
    EXPECT_EQ(list[0].start_before, "mm_1");
    EXPECT_EQ(list[1].collective, "g_1");
    EXPECT_EQ(list[1].start_before, "mm_0");
}

TEST(DisturbedCandidates, HaveTheirMeanAndTheirWorst) {
    const auto graph = layers();
    const CandidateEvaluator evaluator(graph, step_work(graph));
    Candidate candidate = evaluator.evaluate(Plan(), "plain");
    ASSERT_TRUE(candidate.usable()) << candidate.refusal;
    EXPECT_EQ(candidate.step_ms, 18);
    EXPECT_EQ(candidate.exposed_ms, 6);
    EXPECT_EQ(candidate.compute_ms, 12);
    evaluator.disturb(candidate);
    ASSERT_EQ(candidate.disturbed_ms.size(), 6u);
    const std::vector<double> expected{12 + 4.8, 12 + 7.2, 12 + 9, 18 + 3 * 2 * 0.02, 10.8 + 6, 13.2 + 6};
    double sum_ms = 0;
    for (std::size_t index = 0; index < expected.size(); ++index) {
        EXPECT_NEAR(candidate.disturbed_ms[index], expected[index], 1e-9) << scenarios()[index].name;
        sum_ms += expected[index];
    }
    EXPECT_NEAR(candidate.mean_ms, sum_ms / 6, 1e-9);
    EXPECT_NEAR(candidate.worst_ms, 21, 1e-9);
}

TEST(Candidates, AreWithoutOverlapsThatDoNotHold) {
    const auto graph = layers();
    const CandidateEvaluator evaluator(graph, step_work(graph));
    Plan plan;
    plan.overlaps.list = {{.collective = "gone", .start_before = "mm_0"},
                          {.collective = "g_2", .start_before = "mm_1"}};
    const Candidate candidate = evaluator.evaluate(plan, "moved");
    ASSERT_EQ(candidate.plan.overlaps.list.size(), 1u);
    EXPECT_EQ(candidate.plan.overlaps.list[0].collective, "g_2");
    EXPECT_EQ(candidate.origin, "moved");
    EXPECT_TRUE(candidate.usable()) << candidate.refusal;
    EXPECT_EQ(candidate.step_ms, 15);
    plan.pipeline = {{"no_such_pass"}};
    EXPECT_NE(evaluator.evaluate(plan, "wrong").refusal.find("no_such_pass"), std::string::npos);
    EXPECT_EQ(evaluator.as_it_is().origin, "as it is");
    EXPECT_EQ(evaluator.as_it_is().step_ms, 18);
}

TEST(Grid, NamesItsSettings) {
    const auto graph = with_shared_links(test_graph("llama3_debugmodel_fsdp8.prebucket"), LinkSharing::by_host);
    const std::vector<Proposal> grid = grid_proposals(*graph);
    const Texts names = origins(grid);
    EXPECT_EQ((Texts{names.begin(), names.begin() + 6}),
              (Texts{"automatic, alone, not merged", "automatic, alone", "automatic, default memory, not merged",
                     "automatic, default memory, not merged, nothing before",
                     "automatic, default memory, not merged, any distance",
                     "automatic, default memory, not merged, any distance, nothing before"}));
    EXPECT_EQ(names.back(), "automatic, any memory, merged, any in flight, any distance, custom operators");
    const Options& last = grid.back().plan.pipeline.back().options;
    EXPECT_EQ(*last.find("bucket_mode"), OptionValue(std::string("custom_ops")));
    EXPECT_EQ(*last.find("max_in_flight_gb"), OptionValue(1000.0));
    EXPECT_EQ(*last.find("collective_bucketing"), OptionValue(true));
    Texts unique = names;
    std::ranges::sort(unique);
    EXPECT_EQ(std::unique(unique.begin(), unique.end()), unique.end());
}

TEST(BucketMoves, AreAroundEachBucketOnce) {
    const auto graph = with_shared_links(test_graph("llama3_debugmodel_fsdp8.prebucket"), LinkSharing::by_host);
    const auto moves_of = [&](const Plan& plan) {
        std::mt19937 random(1);
        Texts moves = origins(bucket_moves(*evaluate(graph, plan), random, 100));
        std::ranges::sort(moves);
        return moves;
    };
    Plan plan = make_plan(*graph, "Plan A");
    EXPECT_TRUE(moves_of(plan).empty());
    plan.buckets = {{{"layers.0", "layers.1"}}, {{"layers.2"}}, {{"layers.3", "layers.4"}}};
    EXPECT_EQ(moves_of(plan),
              (Texts{"bucket 1 split", "bucket 1 taken out", "bucket 2 taken out", "bucket 3 split",
                     "bucket 3 taken out", "buckets 1 and the next merged", "buckets 2 and the next merged",
                     "layers.1 moved from bucket 1 to bucket 2", "layers.3 moved from bucket 3 to bucket 2"}));
    plan.pipeline.clear();
    EXPECT_TRUE(moves_of(plan).empty());
}

/// A gather that is waited for before compute that needs nothing of it.
TEST(OverlapMoves, WaitRightBeforeWhatNeedsTheResult) {
    LayersSketch sketch;
    const NodeId x = sketch.parameter("x"), p = sketch.parameter("p");
    const NodeId first = sketch.compute("first", {x}, 1);
    const NodeId waited = sketch.wait_in("layers.0", "w", sketch.gather_in("layers.0", "g", p, 4));
    const NodeId beside = sketch.compute("beside", {first}, 3), more = sketch.compute("more", {beside}, 2);
    const NodeId part = sketch.item("part", sketch.item("whole", waited, 0), 0);
    const NodeId last = sketch.compute("last", {more, part}, 1);
    const std::vector<Proposal> moves =
        overlap_moves(*evaluate(sketch.drawn({sketch.compute("end", {last}, 1)}), Plan()));
    EXPECT_EQ(origins(moves), (Texts{"1 collective starts earlier", "1 collective is waited for later",
                                     "1 collective starts earlier, waited for later"}));
    const auto directive = [&](std::size_t move) { return moves.at(move).plan.overlaps.list.at(0); };
    EXPECT_EQ(directive(0).start_before, "first");
    EXPECT_EQ(directive(0).wait_after, "");
    EXPECT_EQ(directive(1).start_before, "");
    EXPECT_EQ(directive(1).wait_after, "more");
    EXPECT_EQ(directive(2).start_before, "first");
    EXPECT_EQ(directive(2).wait_after, "more");
}

TEST(GroupProposals, AreWhatMovesSomething) {
    const auto dense = with_shared_links(test_graph("llama3_debugmodel_fsdp8.prebucket"), LinkSharing::by_host);
    Plan plan = make_plan(*dense, "Plan A");
    EXPECT_EQ(origins(group_proposals(dense, plan)), Texts{"reassign_collective_pgs_pass"});
    plan.pipeline.insert(plan.pipeline.begin(), {"reassign_collective_pgs_pass"});
    EXPECT_EQ(origins(group_proposals(dense, plan)), Texts{"no extra groups"});
}

TEST(BlockPlans, BeginAndEndWithSmallerBuckets) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const BlockPlans blocks(*graph);
    const auto names = [](const std::vector<BlockProposal>& proposals) {
        Texts told;
        for (const BlockProposal& each : proposals) told.push_back(each.pattern.name());
        return told;
    };
    const Plan start = blocks.periods().front().proposal.plan;
    EXPECT_EQ(names(blocks.epilogues(start, {{}, 4, {}})),
              (Texts{"blocks by 4, last 1", "blocks by 4, last 2 + 1", "blocks by 4, last 2", "blocks by 4, last 2 + 2",
                     "blocks by 4, last 3"}));
    // All blocks in one bucket is a period, too.
    EXPECT_EQ(
        names(blocks.prologues(start, {{}, 6, {}})),
        (Texts{"blocks by 6, first 1", "blocks by 6, first 1 + 1", "blocks by 6, first 1 + 2", "blocks by 6, first 2",
               "blocks by 6, first 2 + 2", "blocks by 6, first 4", "blocks by 6, first 5"}));
}

TEST(BlockPatterns, GoOnWithTheirPeriod) {
    using Sizes = std::vector<std::size_t>;
    EXPECT_EQ((BlockPattern{{}, 3, {}}.sizes(7)), (Sizes{3, 3, 1}));
    EXPECT_EQ((BlockPattern{{5}, 3, {}}.sizes(4)), Sizes{4});
    EXPECT_EQ((BlockPattern{{}, 0, {}}.sizes(2)), (Sizes{1, 1}));
    EXPECT_EQ((BlockPattern{{}, 3, {}}.sizes(0)), Sizes{});
    EXPECT_EQ((BlockPattern{{}, 3, {}}.name()), "blocks by 3");
}

}  // namespace
}  // namespace overlap::test
