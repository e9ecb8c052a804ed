#include "core/views/bucket_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/memory_section.h"
#include "core/views/bucket_figures.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr CollectiveKind gathered_kind = CollectiveKind::all_gather, scattered_kind = CollectiveKind::reduce_scatter;

class BucketSumsTest : public testing::Test {
  protected:
    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8");
    BucketingEligibility eligibility_{*graph_};
    Plan plan_ = make_plan(*graph_, "Plan A");

    std::shared_ptr<const Evaluation> evaluated() const { return evaluate(graph_, plan_); }
    std::vector<BucketSums> sums() const { return bucket_sums(*evaluated(), eligibility_); }
    /// Before any pass.
    BucketFigures figures(std::size_t entry) const {
        const ModuleTree tree(*graph_, preferred_module_source(*graph_));
        return bucket_figures(*graph_, tree, eligibility_, plan_.buckets[entry]);
    }
};

TEST_F(BucketSumsTest, AreOfWhatAnEntryMerged) {
    plan_.buckets = {{{"tok_embeddings"}}, {{"layers.1", "layers.2"}}};
    const auto evaluation = evaluated();
    const std::vector<BucketSums> sums = bucket_sums(*evaluation, eligibility_);
    ASSERT_EQ(sums.size(), 2u);
    EXPECT_GT(sums[0].exposed_ms + sums[1].exposed_ms, 0);
    for (std::size_t entry = 0; entry < sums.size(); ++entry) {
        double communication_ms = 0, exposed_ms = 0, gathering_ms = 0;
        for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
            if (evaluation->bucket_of_node[timing.start] != static_cast<std::int32_t>(entry)) continue;
            communication_ms += timing.end_ms - timing.start_ms;
            exposed_ms += timing.exposed_ms;
            if (timing.kind == gathered_kind) gathering_ms += timing.end_ms - timing.start_ms;
        }
        EXPECT_NEAR(sums[entry].communication_ms, communication_ms, 1e-9);
        EXPECT_NEAR(sums[entry].exposed_ms, exposed_ms, 1e-9);
        ASSERT_TRUE(sums[entry].of(gathered_kind) && sums[entry].of(scattered_kind));
        EXPECT_EQ(sums[entry].of(gathered_kind)->bytes, figures(entry).bytes(gathered_kind));
        EXPECT_EQ(sums[entry].of(scattered_kind)->bytes, figures(entry).bytes(scattered_kind));
        EXPECT_NEAR(sums[entry].of(gathered_kind)->time_ms, gathering_ms, 1e-9);
        EXPECT_EQ(sums[entry].of(CollectiveKind::all_to_all), nullptr);
    }
}

TEST_F(BucketSumsTest, CountWhatBackwardGathersAgain) {
    plan_.buckets = {{{"layers.0"}}};
    const BucketSums once = sums().at(0);
    plan_.memory.emplace();
    plan_.memory->policy = "full";
    plan_.memory->rules = {{MemoryAction::reshard, {"layers.0"}, {}}};
    plan_.pipeline = with_memory_steps(std::move(plan_.pipeline));
    const BucketSums again = sums().at(0);
    EXPECT_GT(again.of(gathered_kind)->bytes, once.of(gathered_kind)->bytes);
    EXPECT_GT(again.of(gathered_kind)->time_ms, once.of(gathered_kind)->time_ms);
    EXPECT_EQ(again.of(scattered_kind)->bytes, once.of(scattered_kind)->bytes);
}

/// What no pass has merged is its entry's all the same, if it could have been.
TEST_F(BucketSumsTest, CountWhatIsLeftAloneInABucket) {
    plan_.buckets = {{{"layers.0"}}};
    Plan without = plan_;
    without.pipeline.clear();
    Evaluation unmerged = *evaluate(graph_, without);
    unmerged.resolved = resolve(graph_, plan_);
    const BucketSums sum = bucket_sums(unmerged, eligibility_).at(0);
    ASSERT_TRUE(sum.of(gathered_kind) && sum.of(scattered_kind));
    EXPECT_EQ(sum.of(gathered_kind)->bytes, figures(0).bytes(gathered_kind));
    EXPECT_EQ(sum.of(scattered_kind)->bytes, figures(0).bytes(scattered_kind));
}

TEST_F(BucketSumsTest, AreNothingWhereNoStepTakesTheEntries) {
    plan_.buckets = {{{"layers.0"}}};
    plan_.pipeline.at(0).enabled = false;
    const std::vector<BucketSums> none = sums();
    ASSERT_EQ(none.size(), 1u);
    EXPECT_TRUE(none[0].kinds.empty());
    EXPECT_EQ(none[0].communication_ms, 0);
    EXPECT_TRUE(bucket_sums(*evaluate_baseline(graph_), eligibility_).empty());
}

}  // namespace
}  // namespace overlap
