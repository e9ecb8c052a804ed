#include "core/search/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/advice/advice.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/cost/shared_links.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/search/block_plans.h"
#include "core/search/minimal_plan.h"
#include "core/search/moves.h"
#include "core/search/plan_elements.h"
#include "core/search/portfolio.h"
#include "core/search/search_front.h"
#include "core/search/search_report.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> graph_of(const std::string& name) {
    return with_shared_links(test_graph(name), LinkSharing::by_host);
}

SearchOptions options_of(std::size_t effort, unsigned threads) {
    SearchOptions options;
    options.effort = effort;
    options.threads = threads;
    return options;
}

TEST(PlanSearch, DoesNotDependOnThreads) {
    const auto report = [](const std::string& name, unsigned threads, bool any_order, std::int64_t limit) {
        SearchOptions options = options_of(160, threads);
        options.any_order = any_order;
        if (limit > 0) options.memory_limit = limit;
        return search_report_json(search_plans(graph_of(name), options), 0);
    };
    const auto expect_equal = [&](const std::string& name, bool any_order, std::int64_t limit) {
        const std::string one = report(name, 1, any_order, limit);
        for (const unsigned threads : {2u, 8u}) EXPECT_EQ(report(name, threads, any_order, limit), one) << threads;
    };
    expect_equal("llama3_debugmodel_fsdp8.prebucket", false, 0);
    expect_equal("llama3_debugmodel_fsdp4_tp2.prebucket", true, 0);
    expect_equal("llama3_debugmodel_fsdp8", false, 400'000'000);
}

TEST(PlanSearch, IsNeverSlowerThanWhatAnybodyWouldTryNorFasterThanTheBound) {
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket",
                             "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"}) {
        const SearchResult found = search_plans(graph_of(name), options_of(250, 2));
        EXPECT_TRUE(found.best.usable());
        EXPECT_GE(found.best.step_ms, found.bound.step_ms) << name;
        EXPECT_GE(found.best.corrected_peak_bytes, found.bound.least_peak_bytes) << name;
        EXPECT_GE(found.baselines.size(), 4u);
        for (const Candidate& baseline : found.baselines) {
            if (!baseline.usable()) continue;
            EXPECT_LE(found.best.step_ms, baseline.step_ms) << name << ", " << baseline.origin;
        }
        ASSERT_FALSE(found.front.empty());
        for (std::size_t index = 0; index < found.front.size(); ++index) {
            const FrontPoint& point = found.front[index];
            EXPECT_LE(point.peak_bytes, point.limit_bytes);
            EXPECT_LE(point.bound_ms, point.step_ms);
            EXPECT_LE(point.step_ms, found.front[index > 0 ? index - 1 : 0].step_ms);
        }
    }
}

TEST(PlanSearch, TriesNoAdviceThatMovesWhatDependsOnACollective) {
    const auto graph = graph_of("llama3_8b_fsdp64.prebucket");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance"));
    std::size_t advised = 0, moving = 0;
    for (const std::size_t collective : most_exposed(*evaluation, 3)) {
        const std::vector<Advice> all = advice_for(evaluation, collective);
        advised += all.size();
        moving += static_cast<std::size_t>(std::ranges::count_if(all, &Advice::moves_dependents));
    }
    EXPECT_GT(moving, 0u);
    EXPECT_EQ(advice_moves(evaluation, 0, 3).size(), advised - moving);
}

TEST(PlanSearch, SaysWhichComputeAPlanMovesAndWhichOfItsOverlapsDoesSo) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const auto evaluation = evaluate(graph, make_plan(*graph, "Plan A"));
    std::vector<OverlapDirective> keeping, moving;
    for (const std::size_t collective : most_exposed(*evaluation, 60))
        for (const Advice& advice : advice_for(evaluation, collective)) {
            if (advice.plan.overlaps.list.size() != 1 || !advice.refusal.empty()) continue;
            const Candidate candidate = evaluator.evaluate(advice.plan, "advised");
            if (candidate.usable()) keeping.push_back(advice.plan.overlaps.list.front());
            if (candidate.changes_order) moving.push_back(advice.plan.overlaps.list.front());
        }
    ASSERT_FALSE(keeping.empty());
    ASSERT_FALSE(moving.empty());
    SearchOptions options = options_of(30, 1);
    options.from = evaluation->resolved->plan;
    options.from->overlaps.list = {keeping.front(), moving.front()};
    try {
        search_plans(graph, options);
        FAIL() << "it takes a plan that changes the order";
    } catch (const InputError& error) {
        const std::string& problem = error.problem();
        EXPECT_NE(problem.find(" runs before "), std::string::npos) << problem;
        EXPECT_NE(
            problem.find("remove from the plan the overlap by hand that moves it (" + describe(moving.front()) + ")"),
            std::string::npos)
            << problem;
    }
    // Without it, it is taken.
    options.from->overlaps.list = {keeping.front()};
    EXPECT_TRUE(search_plans(graph, options).best.usable());
}

/// Products of weights' gradients run behind collectives that the next layer waits for.
TEST(PlanSearch, PlansMayChangeTheOrderOfHeavyComputeWhereThatIsAskedFor) {
    const auto graph = graph_of("llama3_debugmodel_fsdp4_tp2.prebucket");
    SearchOptions options = options_of(250, 2);
    const SearchResult kept = search_plans(graph, options);
    EXPECT_FALSE(kept.best.changes_order);
    for (const FrontPoint& point : kept.front) {
        const auto evaluation = evaluate(graph, point.plan);
        EXPECT_TRUE(kept_work(*step_work(graph), *evaluation).order) << point.origin;
    }
    options.any_order = true;
    const SearchResult any = search_plans(graph, options);
    EXPECT_LT(any.best.step_ms, kept.best.step_ms);
    EXPECT_TRUE(any.best.changes_order);
    EXPECT_EQ(any.bound.step_ms, kept.bound.order_free_ms);
    ASSERT_FALSE(any.bound.chain.empty());
    EXPECT_NEAR(any.bound.chain.back().end_ms, any.bound.step_ms, 1e-9);
    for (const FrontPoint& point : any.front) {
        EXPECT_LE(point.bound_ms, point.step_ms);
        const auto evaluation = evaluate(graph, point.plan);
        EXPECT_FALSE(evaluation->refused);
        EXPECT_TRUE(kept_work(*step_work(graph), *evaluation).all) << point.origin;
    }
}

/// On these graphs and with this effort, a third of which goes into plans that keep the order.
TEST(PlanSearch, AnyOrderIsNoSlowerThanTheOrderOfTheGraph) {
    for (const char* name : {"deepseek_v3_debugmodel_fsdp8_ep4.prebucket", "llama3_debugmodel_fsdp8.prebucket"}) {
        SearchOptions options = options_of(300, 2);
        const SearchResult kept = search_plans(graph_of(name), options);
        options.any_order = true;
        EXPECT_LE(search_plans(graph_of(name), options).best.step_ms, kept.best.step_ms) << name;
    }
}

TEST(PlanSearch, TheReportHasTheFiguresOfThePlan) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    const SearchResult found = search_plans(graph, options_of(120, 2));
    const auto evaluation = evaluate(graph, found.best.plan);
    EXPECT_FALSE(evaluation->refused);
    EXPECT_EQ(evaluation->simulation.step_ms, found.best.step_ms);
    EXPECT_EQ(evaluation->corrected_memory.peak_bytes, found.best.corrected_peak_bytes);
    EXPECT_EQ(found_plan(found, evaluation->simulation.step_ms).name,
              "Found " + time_text(found.best.step_ms) + " at " + bytes_text(found.best.corrected_peak_bytes));
}

TEST(PlanSearch, EvaluatesNoMoreThanItsEffortASixthToShortenAndEachPart) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    for (const std::size_t effort : {20u, 60u, 180u}) {
        const SearchResult found = search_plans(graph, options_of(effort, 2));
        const std::size_t parts = elements_of(found.best.plan).size();
        EXPECT_LE(found.evaluations, effort + std::max<std::size_t>(8, effort / 6) + parts);
    }
}

TEST(PlanSearch, SaysWhyItEnds) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    const SearchResult cut = search_plans(graph, options_of(60, 2));
    EXPECT_FALSE(cut.exhausted);
    // All in all they are more than the effort, since shortening comes beside it.
    EXPECT_GT(cut.evaluations, 60u);
    ASSERT_LE(cut.finding_evaluations, 60u);
    EXPECT_EQ(end_text(cut, 60), "it ended after " + std::to_string(cut.finding_evaluations) +
                                     " plans, all that the effort of 60 allows before what was found is shortened (" +
                                     std::to_string(cut.evaluations - cut.finding_evaluations) +
                                     " more, with the worth of its parts); a greater effort may find a better plan");
    const SearchResult whole = search_plans(graph, options_of(5000, 2));
    EXPECT_TRUE(whole.exhausted);
    EXPECT_LT(whole.finding_evaluations, whole.evaluations);
    EXPECT_EQ(end_text(whole, 5000), "it ended after " + std::to_string(whole.finding_evaluations) +
                                         " plans of 5000, since no change to the best plans helps any more");
}

TEST(PlanSearch, PartsOfAnyPlanAreWeighedAsThoseOfTheBest) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    const SearchOptions options = options_of(100, 2);
    const SearchResult found = search_plans(graph, options);
    const auto names = [](const std::vector<PlanElement>& parts) {
        std::vector<std::string> elements;
        for (const PlanElement& part : parts) elements.push_back(part.element);
        return elements;
    };
    const std::vector<PlanElement> parts = worth_of_parts(graph, found.best.plan, options);
    EXPECT_EQ(names(parts), names(found.elements));
    for (std::size_t index = 0; index < parts.size(); ++index)
        EXPECT_DOUBLE_EQ(parts[index].worth_ms, found.elements[index].worth_ms);
    const Plan blocks = make_plan(*graph, "x");
    Plan other = blocks;
    other.buckets = parse_bucket_entries("layers.0, layers.1");
    const std::vector<PlanElement> others = worth_of_parts(graph, other, options);
    EXPECT_NE(std::ranges::find(others, "bucket layers.0", &PlanElement::element), others.end());
}

/// A plan that is refused has no step that another one could be compared with.
TEST(PlanSearch, PartsThatAPlanCannotDoWithoutHaveNoFigures) {
    const auto graph = graph_of("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const Plan plan = preset_proposals(*graph).at(1).plan;
    const std::vector<PlanElement> parts = worth_of_parts(graph, plan, options_of(100, 2));
    const auto bucket = std::ranges::find(parts, "bucket layers.0", &PlanElement::element);
    ASSERT_NE(bucket, parts.end());
    EXPECT_NE(bucket->refusal.find("no count is expected for layer 0"), std::string::npos) << bucket->refusal;
    EXPECT_EQ(bucket->worth_ms, 0);
    EXPECT_EQ(bucket->worth_bytes, 0);
    EXPECT_TRUE(std::ranges::is_sorted(parts, {}, [](const PlanElement& part) { return part.refusal.empty(); }));
    EXPECT_TRUE(parts.back().refusal.empty());
    // The report says so in place of figures.
    SearchResult result;
    result.elements = {*bucket};
    const std::string report = search_report_json(result, 0);
    EXPECT_NE(report.find(R"("worth_ms":null,"worth_bytes":null,"refusal":")"), std::string::npos) << report;
}

TEST(PlanSearch, StaysWithinTheLimit) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    SearchOptions options = options_of(150, 2);
    options.memory_limit = evaluate_baseline(graph)->corrected_memory.peak_bytes;
    const SearchResult found = search_plans(graph, options);
    EXPECT_LE(found.best.corrected_peak_bytes, *options.memory_limit);
    options.memory_limit = 1;
    EXPECT_THROW(search_plans(graph, options), InputError);
}

TEST(PlanSearch, StopsWithTheBestSoFar) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    std::stop_source stop;
    SearchOptions options = options_of(100'000, 2);
    options.stop = stop.get_token();
    options.progress = [&](const SearchProgress& progress) {
        if (progress.evaluations >= 20) stop.request_stop();
    };
    const SearchResult found = search_plans(graph, options);
    EXPECT_TRUE(found.stopped);
    // Where it is stopped, too, the bound is that of plans that keep the order, as elsewhere.
    for (const FrontPoint& point : found.front) EXPECT_EQ(point.bound_ms, found.bound.step_ms) << point.origin;
    EXPECT_FALSE(found.exhausted);
    EXPECT_EQ(end_text(found, 100'000), "stopped after " + std::to_string(found.finding_evaluations) +
                                            " plans of 100000; a search that goes on may find a better one");
    EXPECT_TRUE(found.best.usable());
    EXPECT_LT(found.evaluations, 500u);
}

/// Else a search that is stopped would look up names and buckets for each plan that it compares with.
TEST(PlanSearch, NothingIsEvaluatedOnceItIsStopped) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    const CandidateEvaluator evaluator(graph, step_work(graph));
    std::stop_source stop;
    Candidate given = evaluator.evaluate(preset_proposals(*graph).front().plan, "preset", stop.get_token());
    ASSERT_TRUE(given.usable());
    stop.request_stop();
    EXPECT_EQ(evaluator.evaluation_of(given.plan, stop.get_token()), nullptr);
    EXPECT_EQ(evaluator.as_it_is(stop.get_token()).refusal, "stopped");
    evaluator.disturb(given, stop.get_token());
    EXPECT_TRUE(given.disturbed_ms.empty());
    EXPECT_EQ(step_work(graph, nullptr, stop.get_token())->obstacle, "it was stopped");
}

TEST(PlanSearch, RefusesWhatCannotBePlanned) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.compute("a", {x}, 1);
    EXPECT_THROW(search_plans(std::make_shared<const Graph>(sketch.finish({a})), {}), InputError);
}

TEST(Portfolio, TheGridHasAllItsSettings) {
    const auto graph = graph_of("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_EQ(grid_proposals(*graph).size(), 2 + grid_size);
    EXPECT_EQ(preset_proposals(*graph).size(), 2u);
}

TEST(BlockPlans, HaveAPrologueAPeriodAndAnEpilogue) {
    using Sizes = std::vector<std::size_t>;
    const BlockPattern pattern{{1, 2}, 4, {2, 1}};
    EXPECT_EQ(pattern.sizes(16), (Sizes{1, 2, 4, 4, 2, 2, 1}));
    EXPECT_EQ(pattern.sizes(4), (Sizes{1, 2, 1}));
    EXPECT_EQ(pattern.name(), "blocks by 4, first 1 + 2, last 2 + 1");
    const auto graph = graph_of("llama3_8b_fsdp64.prebucket");
    const BlockPlans blocks(*graph);
    const std::vector<BlockProposal> periods = blocks.periods();
    EXPECT_EQ(periods.back().proposal.plan.buckets.size(), 3u);  // embeddings, all blocks, norm and head
    const auto every_block_once = [](const std::vector<BucketEntry>& buckets) {
        std::vector<std::string> modules;
        for (const BucketEntry& entry : buckets)
            modules.insert(modules.end(), entry.modules.begin(), entry.modules.end());
        std::ranges::sort(modules);
        return modules;
    };
    const Plan& start = periods.front().proposal.plan;
    const std::vector<std::string> all = every_block_once(start.buckets);
    const std::vector<BlockProposal> first = blocks.prologues(start, pattern), last = blocks.epilogues(start, pattern);
    EXPECT_GE(first.size(), 8u);
    EXPECT_GE(last.size(), 4u);
    for (const std::vector<BlockProposal>* list : {&first, &last})
        for (const BlockProposal& block : *list) {
            EXPECT_EQ(every_block_once(block.proposal.plan.buckets), all) << block.pattern.name();
            EXPECT_EQ(block.proposal.plan.pipeline, start.pipeline);
        }
    // Patterns that begin or end otherwise say that nothing is recomputed, too.
    const auto recomputing = graph_of("llama3_debugmodel_fsdp8");
    const BlockPlans others(*recomputing);
    const std::vector<BlockProposal> both = others.periods();
    ASSERT_EQ(both[0].proposal.origin, "blocks by 1, nothing recomputed");
    ASSERT_EQ(both[1].proposal.origin, "blocks by 1");
    EXPECT_EQ(others.epilogues(both[0].proposal.plan, {{}, 3, {}}).front().proposal.origin,
              "blocks by 3, last 1, nothing recomputed");
    EXPECT_EQ(others.epilogues(both[1].proposal.plan, {{}, 3, {}}).front().proposal.origin, "blocks by 3, last 1");
    EXPECT_EQ(last.front().proposal.plan.buckets[1].modules.size(), 1u);
    EXPECT_EQ(last.front().proposal.plan.buckets[2].modules.size(), 2u);
}

/// Nobody would take more memory for a step that is hardly shorter, or for a shorter description.
TEST(PlanSearch, TheBestTakesAboutTheLeastMemoryOfAllThatAreAlike) {
    SearchOptions options;
    options.effort = 150;
    options.threads = 2;
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket"}) {
        const SearchResult result = search_plans(test_graph(name), options);
        double most_ms = result.shortest_ms * (1 + alike_share);
        for (const Candidate& baseline : result.baselines)
            if (baseline.usable()) most_ms = std::min(most_ms, baseline.step_ms);
        most_ms = std::max(most_ms, result.shortest_ms);
        EXPECT_LE(result.best.step_ms, most_ms) << name;
        // The shortest step of all, at least.
        EXPECT_LE(std::ranges::min(result.front, {}, &FrontPoint::step_ms).step_ms, most_ms);
        for (const FrontPoint& point : result.front) {
            if (point.step_ms > most_ms) continue;
            EXPECT_GE(static_cast<double>(point.peak_bytes),
                      about_least_memory * static_cast<double>(result.best.corrected_peak_bytes))
                << name << ": " << point.step_ms << " and " << result.best.step_ms;
        }
    }
}

/// Its description is shortened at the end, so it need not be one of those that rounds of the search have tried.
TEST(PlanSearch, TheFrontHasTheBestOrAPlanAtLeastAsGood) {
    const auto graph = graph_of("llama3_debugmodel_fsdp4_tp2.prebucket");
    for (const bool limited : {false, true}) {
        SearchOptions options = options_of(100, 2);
        if (limited) options.memory_limit = evaluate_baseline(graph)->corrected_memory.peak_bytes;
        const SearchResult found = search_plans(graph, options);
        const auto point = std::ranges::find_if(found.front, [&](const FrontPoint& other) {
            return other.step_ms <= found.best.step_ms && other.peak_bytes <= found.best.corrected_peak_bytes;
        });
        ASSERT_NE(point, found.front.end()) << found.best.step_ms;
        const bool alike = point->step_ms == found.best.step_ms && point->peak_bytes == found.best.corrected_peak_bytes;
        EXPECT_TRUE(!alike || point->plan == found.best.plan);
    }
}

TEST(PlanElements, EachCanBeTakenAway) {
    Plan plan = make_plan(*test_graph("llama3_debugmodel_fsdp8.prebucket"), "x");
    plan.buckets = parse_bucket_entries("layers.0, layers.1");
    plan.overlaps.list = {{.collective = "a", .start_before = "b"}, {.collective = "c", .wait_after = "d"}};
    const std::vector<ElementRemoval> elements = elements_of(plan);
    ASSERT_EQ(elements.size(), 5u);
    EXPECT_EQ(without(plan, {elements[0]}).overlaps.list.size(), 1u);
    EXPECT_EQ(without(plan, {elements[0], elements[3]}).buckets.size(), 1u);
    EXPECT_EQ(without(plan, elements).pipeline.size(), 0u);
}

TEST(PlanElements, OptionsHaveTheirValues) {
    Plan plan;
    plan.pipeline = {{.pass = std::string(automatic_pass), .options = {{"max_in_flight_gb", 5.0}}}};
    const std::vector<ElementRemoval> elements = elements_of(plan);
    ASSERT_EQ(elements.size(), 2u);
    EXPECT_EQ(elements[1].element, "max_in_flight_gb = 5 of schedule_overlap_bucketing");
}

}  // namespace
}  // namespace overlap::test
