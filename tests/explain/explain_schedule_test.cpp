#include "core/explain/explain_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/explain/explain.h"
#include "core/plan/automatic_plan.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Sentences = std::vector<std::string>;

bool says(const Sentences& sentences, std::string_view words) {
    return std::ranges::any_of(sentences,
                               [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

const CollectiveReport& collective(const Evaluation& evaluation, std::string_view start) {
    return *std::ranges::find(evaluation.reports.at(0).collectives, start, &CollectiveReport::start);
}

/// The automatic result of a real graph.
class ExplainSchedule : public ::testing::Test {
  protected:
    void open(const std::string& name, const Options& options = {}) {
        graph_ = test_graph(name);
        plan_ = automatic_plan(Plan(), *graph_);
        plan_.pipeline[0].options.update(options);
        evaluation_ = evaluate(graph_, plan_);
        ASSERT_FALSE(evaluation_->refused);
    }
    Sentences why(std::string_view name) const { return explain_exposure(*evaluation_, name); }
    Sentences all(std::string_view name) const {
        return explain_collective(*graph_, graph_->find(name), evaluation_.get()).sentences;
    }

    std::shared_ptr<const Graph> graph_;
    Plan plan_;
    std::shared_ptr<const Evaluation> evaluation_;
};

TEST_F(ExplainSchedule, TellsTheSchedulersOwnFigures) {
    open("llama3_8b_fsdp64_aot_fw");
    const CollectiveReport& known = collective(*evaluation_, "all_gather_into_tensor_8");
    EXPECT_NEAR(known.exposed_ms, 1.061, 0.001);
    EXPECT_EQ(explain_schedule(*evaluation_, "all_gather_into_tensor_8"),
              Sentences({"The scheduler leaves 1.061 ms of its 2.996 ms exposed; the rest is hidden behind mm_3, silu, "
                         "mul_2"}));
    EXPECT_TRUE(scheduler_leaves_exposed(*evaluation_, "all_gather_into_tensor_8"));
    EXPECT_TRUE(says(all("all_gather_into_tensor_8"), "The scheduler leaves 1.061 ms"));
}

TEST_F(ExplainSchedule, SaysWhoseTimesItSpeaksOf) {
    open("llama3_8b_fsdp64_aot_fw");
    EXPECT_FALSE(says(all("all_gather_into_tensor_8"), "PyTorch estimates"));
    const auto modelled = with_compilation(with_cost_model(graph_, *built_in_cost_model("h100-sxm")).graph,
                                           Compilation{.scope = CompiledScope::blocks});
    graph_ = modelled;
    plan_ = automatic_plan(Plan(), *graph_);
    evaluation_ = evaluate(graph_, plan_);
    ASSERT_FALSE(evaluation_->refused);
    std::size_t exposed = 0;
    for (const CollectiveReport& known : evaluation_->reports.at(0).collectives) {
        const Sentences of_schedule = explain_schedule(*evaluation_, known.start);
        ASSERT_EQ(of_schedule.size(), 1u);
        EXPECT_TRUE(of_schedule[0].starts_with(
            "By the times that PyTorch estimates, by which it decides, and not those of the job that compiles its "
            "transformer blocks, the scheduler "))
            << of_schedule[0];
        if (!scheduler_leaves_exposed(*evaluation_, known.start) || exposed++ > 0) continue;
        EXPECT_TRUE(why(known.start).at(0).starts_with("Times in what follows are PyTorch's estimates"));
    }
    EXPECT_GT(exposed, 0u);
}

TEST_F(ExplainSchedule, TellsThatSomethingIsHidden) {
    open("llama3_8b_fsdp64_aot_fw");
    const auto& collectives = evaluation_->reports.at(0).collectives;
    const auto hidden = std::ranges::find_if(
        collectives, [](const CollectiveReport& known) { return known.exposed_ms == 0 && !known.hiding.empty(); });
    ASSERT_NE(hidden, collectives.end());
    EXPECT_TRUE(says(explain_schedule(*evaluation_, hidden->start), "The scheduler hides all of its"));
    EXPECT_FALSE(scheduler_leaves_exposed(*evaluation_, hidden->start));
    EXPECT_TRUE(why(hidden->start).empty());
}

TEST_F(ExplainSchedule, SpeaksOfABucketThatWasMadeBeforehandThroughItsMembers) {
    open("llama3_debugmodel_fsdp8.prebucket");
    const BucketReport& bucket = evaluation_->reports.at(0).buckets.at(0);
    const Sentences of_bucket = explain_schedule(*evaluation_, bucket.start);
    ASSERT_EQ(of_bucket.size(), 1u);
    EXPECT_EQ(explain_schedule(*evaluation_, bucket.members.front()), of_bucket);
    EXPECT_TRUE(says(all(bucket.members.front()), "by schedule_overlap_bucketing"));
    EXPECT_FALSE(says(all(bucket.members.front()), "entry"));
}

TEST_F(ExplainSchedule, TellsThatNoComputeIsBetween) {
    open("llama3_8b_fsdp64.prebucket");
    const Sentences sentences = why("reduce_scatter_tensor_233");
    EXPECT_TRUE(says(sentences, "the scheduler keeps compute in order"));
    EXPECT_TRUE(says(sentences, "which it needs: less than it takes"));
    EXPECT_TRUE(says(sentences, "changes nothing for it: max_in_flight_gb"));
}

TEST_F(ExplainSchedule, FindsTheLimitThatKeepsSomethingExposed) {
    open("llama3_8b_fsdp64_aot_fw", {{"max_in_flight_gb", 0.1}});
    const auto& collectives = evaluation_->reports.at(0).collectives;
    std::size_t found = 0, tried = 0;
    for (const CollectiveReport& known : collectives) {
        if (known.exposed_ms <= 0.5 * known.estimated_ms || ++tried > 8) continue;
        for (const std::string& sentence : why(known.start)) {
            if (!sentence.starts_with("With max_in_flight_gb ")) continue;
            ++found;
            // What is promised is what the pass then does.
            Plan loosened = plan_;
            const std::string value = sentence.substr(22, sentence.find_first_of(" ", 22) - 22);
            loosened.pipeline[0].options["max_in_flight_gb"] = value == "lifted" ? 1024 : std::stod(value);
            const auto then = evaluate(graph_, loosened);
            EXPECT_LT(collective(*then, known.start).exposed_ms, known.exposed_ms) << sentence;
        }
    }
    EXPECT_GT(found, 0u);
}

TEST_F(ExplainSchedule, SaysNothingOfWhatTheSchedulerDoesNotKnow) {
    open("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_TRUE(explain_schedule(*evaluation_, "mm").empty());
    const auto baseline = evaluate_baseline(graph_);
    EXPECT_TRUE(explain_schedule(*baseline, "all_gather_into_tensor").empty());
    EXPECT_TRUE(explain_exposure(*baseline, "all_gather_into_tensor").empty());
}

TEST_F(ExplainSchedule, LeavesWhenStopped) {
    open("llama3_8b_fsdp64.prebucket");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(explain_exposure(*evaluation_, "reduce_scatter_tensor_233", stop.get_token()).empty());
}

TEST_F(ExplainSchedule, TellsWhyAutomaticPassesLeaveACollectiveAlone) {
    open("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    EXPECT_TRUE(says(all("all_to_all_single_1"), "It is not bucketed: no pass merges all-to-alls of its form"));
    open("llama3_8b_fsdp64.prebucket", {{"collective_bucketing", false}});
    EXPECT_TRUE(says(all("reduce_scatter_tensor_233"), "since the option collective_bucketing is off"));
}

TEST_F(ExplainSchedule, StandAlonePassesAreExplainedToo) {
    graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
    plan_ = {};
    plan_.pipeline = {{"bucket_all_gather"}, {"stable_topological_sort"}};
    evaluation_ = evaluate(graph_, plan_);
    ASSERT_FALSE(evaluation_->refused);
    const BucketReport& bucket = evaluation_->reports.at(0).buckets.at(0);
    EXPECT_TRUE(says(all(bucket.members.front()), "by bucket_all_gather"));
    EXPECT_TRUE(says(all("reduce_scatter_tensor_1"), "are not what bucket_all_gather merges"));
}

}  // namespace
}  // namespace overlap
