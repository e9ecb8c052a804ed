#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// A real joint graph with one bucket a block.
class ExplainTest : public testing::Test {
  protected:
    ExplainTest() {
        plan_.buckets = one_bucket_per_block(ModuleTree(*graph_, preferred_module_source(*graph_)), graph_.get());
    }
    /// The first collective of `kind` whose module starts with `module`.
    NodeId collective(CollectiveKind kind, std::string_view module) const {
        for (NodeId node = 0; node < graph_->node_count(); ++node) {
            if (graph_->op(node) == NodeOp::call_function && graph_->target_info(node).starts == kind &&
                graph_->text(graph_->metadata(node).module_fqn).starts_with(module)) {
                return node;
            }
        }
        return no_node;
    }
    static bool says(const CollectiveExplanation& explanation, std::string_view words) {
        return std::ranges::any_of(explanation.sentences, [&](const std::string& sentence) {
            return sentence.find(words) != std::string::npos;
        });
    }

    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan_ = make_plan(*graph_, "Plan A");
};

TEST_F(ExplainTest, TellsWithWhomACollectiveIsBucketed) {
    const auto evaluation = evaluate(graph_, plan_);
    const NodeId gather = collective(CollectiveKind::all_gather, "layers.3");
    const CollectiveExplanation explained = explain_collective(*graph_, gather, evaluation.get());
    EXPECT_EQ(explained.collective, graph_->name(gather));
    ASSERT_NE(explained.bucket, nullptr);
    EXPECT_EQ(explained.bucket->plan_entry, 4u);
    EXPECT_TRUE(says(explained, "is an all-gather of"));
    EXPECT_TRUE(says(explained, "of module layers.3"));
    EXPECT_TRUE(says(explained, "It is bucketed with"));
    EXPECT_TRUE(says(explained, "as " + explained.bucket->start));
    EXPECT_TRUE(says(explained, "entry 5 (layers.3) of manual_overlap_bucketing"));
    ASSERT_GE(explained.timing, 0);
    const CollectiveTiming& timing = evaluation->simulation.collectives.at(static_cast<std::size_t>(explained.timing));
    EXPECT_EQ(evaluation->graph->name(timing.start), explained.bucket->start);
}

TEST_F(ExplainTest, AWaitIsExplainedByWhatItAwaits) {
    const NodeId gather = collective(CollectiveKind::all_gather, "layers.0");
    const CollectiveExplanation of_start = explain_collective(*graph_, gather);
    const CollectiveExplanation of_wait = explain_collective(*graph_, graph_->users(gather).front());
    EXPECT_EQ(of_wait.collective, of_start.collective);
    EXPECT_EQ(of_wait.sentences.size(), of_start.sentences.size() + 1);
    EXPECT_TRUE(says(of_wait, "waits for " + of_start.collective));
}

TEST_F(ExplainTest, WithoutAPlanItTellsWhatCouldBe) {
    const CollectiveExplanation explained =
        explain_collective(*graph_, collective(CollectiveKind::all_gather, "layers.0"));
    EXPECT_EQ(explained.bucket, nullptr);
    EXPECT_EQ(explained.timing, -1);
    EXPECT_TRUE(says(explained, "It can be bucketed"));
}

TEST_F(ExplainTest, OutsideEveryEntryIsAReason) {
    std::erase_if(plan_.buckets, [](const BucketEntry& entry) { return entry.modules.front() == "layers.2"; });
    const auto evaluation = evaluate(graph_, plan_);
    const NodeId gather = collective(CollectiveKind::all_gather, "layers.2");
    const CollectiveExplanation explained = explain_collective(*graph_, gather, evaluation.get());
    EXPECT_EQ(explained.bucket, nullptr);
    EXPECT_TRUE(says(explained, "no entry of the plan has its module"));
    EXPECT_GE(explained.timing, 0);  // it runs as it is
}

TEST_F(ExplainTest, AMergedCollectiveTellsItsMembers) {
    const auto evaluation = evaluate(graph_, plan_);
    const BucketReport& bucket = evaluation->reports.at(0).buckets.at(1);
    const NodeId start = evaluation->graph->find(bucket.start);
    const CollectiveExplanation explained = explain_result(*evaluation, start);
    EXPECT_EQ(explained.bucket, &bucket);
    EXPECT_TRUE(says(explained, "makes of " + std::to_string(bucket.members.size())));
    EXPECT_TRUE(says(explained, bucket.members.front()));
    const NodeId wait = evaluation->graph->find(bucket.waits.front());
    EXPECT_EQ(explain_result(*evaluation, wait).bucket, &bucket);
}

TEST_F(ExplainTest, ANodeThatDoesNotCommunicateSaysSo) {
    const CollectiveExplanation explained = explain_collective(*graph_, 0);
    EXPECT_TRUE(explained.collective.empty());
    ASSERT_EQ(explained.sentences.size(), 1u);
    EXPECT_TRUE(says(explained, "is no collective"));
}

TEST_F(ExplainTest, ExposureIsTheSimulations) {
    const auto baseline = evaluate_baseline(graph_);
    const auto& collectives = baseline->simulation.collectives;
    const auto exposed = std::ranges::find_if(
        collectives, [](const CollectiveTiming& timing) { return timing.cause != ExposureCause::none; });
    ASSERT_NE(exposed, collectives.end());
    const auto index = static_cast<std::size_t>(exposed - collectives.begin());
    EXPECT_TRUE(says(explain_collective(*graph_, exposed->start, baseline.get()),
                     baseline->simulation.explain(*graph_, index)));
}

TEST(Explain, TokenExchangeCannotBeBucketed) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph)), graph.get());
    const auto evaluation = evaluate(graph, plan);
    bool found = false;
    for (NodeId node = 0; node < graph->node_count() && !found; ++node) {
        if (graph->op(node) != NodeOp::call_function) continue;
        if (graph->target_info(node).starts != CollectiveKind::all_to_all) continue;
        found = true;
        const CollectiveExplanation explained = explain_collective(*graph, node, evaluation.get());
        EXPECT_EQ(explained.bucket, nullptr);
        EXPECT_EQ(explained.sentences.at(1),
                  "It cannot be bucketed: only plain all-gathers, reduce-scatters and all-reduces are bucketed, no "
                  "other or coalesced forms");
    }
    EXPECT_TRUE(found);
}

TEST(Explain, GroupsThatDifferAreTold) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = {{{"layers.1"}}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    bool told = false;
    for (const BucketReport& bucket : evaluation->reports.at(0).buckets) {
        const auto sentences =
            explain_collective(*graph, graph->find(bucket.members.front()), evaluation.get()).sentences;
        told |= std::ranges::any_of(sentences, [](const std::string& sentence) {
            return sentence.find("of the same entry: process group") != std::string::npos;
        });
    }
    EXPECT_TRUE(told);
}

}  // namespace
}  // namespace overlap
