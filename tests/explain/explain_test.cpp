#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/cost/graph_sketch.h"
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

TEST(Explain, WhileAnotherCollectiveIsAwaitedNothingIsHidden) {
    test::GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId slow = sketch.gather("slow", x, 3, "0"), quick = sketch.gather("quick", x, 2, "1");
    const NodeId first = sketch.compute("first", {x}, 0.5);
    const NodeId second = sketch.compute("second", {sketch.wait("wait_quick", quick), first}, 4);
    const NodeId third = sketch.compute("third", {sketch.wait("wait_slow", slow), second}, 1);
    const auto graph = std::make_shared<const Graph>(sketch.finish({third}));
    const auto told = [&](NodeId node) {
        return explain_collective(*graph, node, evaluate_baseline(graph).get()).sentences;
    };
    const std::vector<std::string> of_slow = told(slow), of_quick = told(quick);
    EXPECT_EQ(std::ranges::count(of_slow,
                                 "It takes 3 ms, hidden behind second (1 ms), first (0.5 ms); for 1.5 ms of it "
                                 "compute stands still for something else"),
              1)
        << testing::PrintToString(of_slow);
    EXPECT_EQ(std::ranges::count(of_quick, "The rest of its 2 ms is hidden behind first (0.5 ms)"), 1)
        << testing::PrintToString(of_quick);
}

TEST(Explain, ACollectiveWithinControlDepsIsOneLikeOthers) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId one = sketch.compute("one", {x}, 1);
    const NodeId inside = sketch.get_attr("subgraph_all_gather_into_tensor", "subgraph_all_gather_into_tensor");
    const NodeId a = sketch.call("all_gather_into_tensor", "higher_order.control_deps",
                                 {sketch.list({Value::of_node(one)}), Value::of_node(inside), Value::of_node(x)},
                                 {sketch.tensor("float32", {16})}, 3);
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish({sketch.wait("wait_a", a)})));
    const std::vector<std::string> told = explain_result(*evaluation, a).sentences;
    EXPECT_EQ(told.at(0),
              "all_gather_into_tensor is an all-gather of 64 B on process group \"0\" (4 ranks), in no module");
    EXPECT_TRUE(told.at(1).starts_with("It waits 3 ms")) << told[1];
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
