#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/number_text.h"
#include "core/exports/export_format.h"
#include "core/io/graph_file.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// The card of peak memory in a report whose plan and baseline have these peaks, in GiB.
std::string memory_card(std::int64_t estimate, std::int64_t estimate_before, std::int64_t corrected,
                        std::int64_t corrected_before) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const Plan plan = plan_of(pipeline_presets(*graph).front(), *graph, "preset");
    Evaluation now = *evaluate(graph, plan), before = *evaluate_baseline(graph);
    now.memory.peak_bytes = estimate * gib;
    before.memory.peak_bytes = estimate_before * gib;
    now.corrected_memory.peak_bytes = corrected * gib;
    before.corrected_memory.peak_bytes = corrected_before * gib;
    const ExportInput input{plan, std::make_shared<const Evaluation>(std::move(now)),
                            std::make_shared<const Evaluation>(std::move(before)), "test", ""};
    const std::string html = write_export(require_export_format("report"), input).bytes;
    const std::size_t begin = html.find("Peak memory</span>");
    return html.substr(begin, html.find("</div>", begin) - begin);
}

TEST(Report, MemoryIsJudgedByTheCorrectedPeakAndPyTorchsStandsBeside) {
    const std::string card = memory_card(76, 90, 40, 28);
    EXPECT_NE(card.find("<b>40 GiB</b><span class=\"worse\">+12 GiB (+42.9 %)</span>"), std::string::npos) << card;
    EXPECT_NE(card.find("from 28 GiB</small><small>PyTorch says 76 GiB</small>"), std::string::npos) << card;
    EXPECT_EQ(card.find("better"), std::string::npos) << card;
}

TEST(Report, StepsAreThoseOfSharedLinksAndSayIt) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz");
    const Plan plan = plan_of(pipeline_presets(*graph).at(1), *graph, "preset");
    const auto report = [&](std::shared_ptr<const TimeSource> times) {
        const auto result = evaluate(graph, plan, {}, times);
        const ExportInput input{plan, result, evaluate_baseline(graph, {}, times), "test", ""};
        return std::pair(result, write_export(require_export_format("report"), input).bytes);
    };
    const auto told = [](const std::string& html, const std::string& label, double step_ms) {
        return html.find(label + "</span><b>" + time_text(step_ms) + "</b>") != std::string::npos;
    };
    const auto [apart, html] = report(nullptr);
    ASSERT_TRUE(apart->on_shared_links);
    EXPECT_TRUE(told(html, "Step, links shared", apart->on_shared_links->step_ms));
    EXPECT_TRUE(told(html, "Exposed, links shared", apart->on_shared_links->exposed_ms));
    EXPECT_NE(html.find("With the plan, " + time_text(apart->on_shared_links->step_ms) + "<"), std::string::npos);
    EXPECT_NE(html.find("With a link of its own for each group the step takes " + time_text(apart->simulation.step_ms)),
              std::string::npos);
    ASSERT_EQ(std::ranges::count(apart->problems, ProblemKind::links_not_shared, &Problem::kind), 1);
    EXPECT_EQ(html.find("is taken to have a link of its own"), std::string::npos) << "not so of these figures";
    const auto [chosen, same] = report(modelled_source(false, {}, true));
    EXPECT_TRUE(told(same, "Step", chosen->simulation.step_ms));
    EXPECT_EQ(same.find("links shared"), std::string::npos);
}

TEST(Report, BucketsThatAreLeftOutAreSaidToHaveOtherTimesWhereLinksAreShared) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz");
    Plan plan = make_plan(*graph, "small buckets");
    plan.buckets.clear();
    for (int layer = 0; layer < 32; ++layer) {
        const std::string path = "layers." + std::to_string(layer) + ".";
        plan.buckets.push_back({{path + "attention.qkv_linear"}});
        plan.buckets.push_back({{path + "attention.wo", path + "attention_norm"}});
        plan.buckets.push_back({{path + "ffn_norm", path + "feed_forward.w1"}});
        plan.buckets.push_back({{path + "feed_forward.w2", path + "feed_forward.w3"}});
    }
    Evaluation result = *evaluate(graph, plan);
    const auto sentence = [&] {
        const ExportInput input{plan, std::make_shared<const Evaluation>(result), evaluate_baseline(graph), "test", ""};
        const std::string html = write_export(require_export_format("report"), input).bytes;
        const std::size_t begin = html.find("the export buckets.csv has all");
        return begin == std::string::npos ? "" : html.substr(begin, html.find('<', begin) - begin);
    };
    result.on_shared_links.reset();
    EXPECT_EQ(sentence(), "the export buckets.csv has all.");
    result.on_shared_links = SharedLinkStep{2 * result.simulation.step_ms, 0, {}};
    EXPECT_EQ(sentence(), "the export buckets.csv has all, with times of a link of its own for each process group.");
}

TEST(Report, MemoryIsOneFigureWhereNothingIsComputedAgain) {
    const std::string card = memory_card(40, 28, 40, 28);
    EXPECT_EQ(card.find("PyTorch"), std::string::npos) << card;
}

}  // namespace
}  // namespace overlap
