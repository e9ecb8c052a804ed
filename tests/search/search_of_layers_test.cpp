// Whole searches of models of a few layers.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cost/shared_links.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/plan/plan.h"
#include "core/search/plan_search.h"
#include "tests/advice/layers_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> five_layers() {
    LayersSketch sketch;
    NodeId x = sketch.parameter("x");
    for (const char* layer : {"0", "1", "2", "3", "4"})
        x = sketch.layer(std::string("layers.") + layer, layer, x, 4, 10);
    return sketch.drawn({x});
}

TEST(SearchOfLayers, IsComparedWithWhatAnybodyWouldTry) {
    const auto graph = five_layers();
    SearchOptions options;
    options.effort = 90;
    options.threads = 1;
    const auto compared = [&] {
        std::vector<std::string> origins;
        for (const Candidate& baseline : search_plans(graph, options).baselines) origins.push_back(baseline.origin);
        return origins;
    };
    std::vector<std::string> expected{"as it is", "torchtitan_default", "torchtitan_performance",
                                      "automatic, alone, not merged",
                                      "best of the grid (automatic, alone, not merged)"};
    EXPECT_EQ(compared(), expected);
    options.from = make_plan(*graph, "mine");
    expected.insert(expected.begin() + 1, "the plan to start from");
    EXPECT_EQ(compared(), expected);
}

/// Two collectives of 4 ms, each with a product that needs it and one behind that does not.
struct TwoThatMayWait {
    TwoThatMayWait() {
        LayersSketch sketch;
        NodeId x = sketch.parameter("x");
        for (const std::string layer : {"0", "1"}) {
            const NodeId needs = sketch.layer("layers." + layer, layer, x, 4, 2);
            const NodeId beside = sketch.compute("beside_" + layer, {x}, 6);
            x = sketch.compute("both_" + layer, {needs, beside}, 1);
        }
        graph = sketch.drawn({x});
        plan.overlaps.list = {{.collective = "g_0", .wait_after = "beside_0"},
                              {.collective = "g_1", .wait_after = "beside_1"}};
    }

    std::shared_ptr<const Graph> graph;
    Plan plan;
};

TEST(Candidates, ChangeTheOrderOfHeavyComputeWhereThatMayBe) {
    const TwoThatMayWait two;
    const auto work = step_work(two.graph);
    const Candidate kept = CandidateEvaluator(two.graph, work).evaluate(two.plan, "waits");
    EXPECT_EQ(kept.refusal, "it changes the order of heavy compute: beside_0 runs before mm_0");
    EXPECT_TRUE(kept.changes_order);
    const Candidate any = CandidateEvaluator(two.graph, work, nullptr, true).evaluate(two.plan, "waits");
    EXPECT_EQ(any.refusal, "");
    EXPECT_TRUE(any.changes_order);
    EXPECT_EQ(any.step_ms, 18);
}

TEST(SearchOfLayers, NamesEachOverlapThatMovesHeavyCompute) {
    const TwoThatMayWait two;
    SearchOptions options;
    options.effort = 10;
    options.from = two.plan;
    try {
        search_plans(two.graph, options);
        FAIL() << "it takes a plan that changes the order";
    } catch (const InputError& error) {
        const std::string named =
            "that moves it (" + describe(two.plan.overlaps.list[0]) + "; " + describe(two.plan.overlaps.list[1]) + ")";
        EXPECT_NE(error.problem().find(named), std::string::npos) << error.problem();
    }
    options.any_order = true;
    EXPECT_LE(search_plans(two.graph, options).best.step_ms, 18);
}

/// All of them are tried once presets and grid have been.
TEST(SearchOfLayers, SettingsOfMemoryAreTriedBehindTheGrid) {
    const auto graph = with_shared_links(test_graph("llama3_debugmodel_fsdp8"), LinkSharing::by_host);
    SearchOptions options;
    options.effort = 100;
    options.threads = 1;
    const SearchResult found = search_plans(graph, options);
    std::int64_t least = found.best.corrected_peak_bytes;
    for (const Candidate& baseline : found.baselines) least = std::min(least, baseline.corrected_peak_bytes);
    EXPECT_LT(found.front.front().peak_bytes, least);
    ASSERT_TRUE(found.front.front().plan.memory);
    EXPECT_EQ(found.front.front().plan.memory->policy, "full");
}

}  // namespace
}  // namespace overlap::test
