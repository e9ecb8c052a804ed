#include "core/views/exposed_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>

#include "core/graph/direction.h"
#include "core/graph/module_tree.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/manual_start.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "core/views/batch_halves.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

class ExposedTime : public testing::Test {
  protected:
    void SetUp() override {
        graph_ = test_graph("llama3_8b_fsdp64.prebucket");
        automatic_plan_ = automatic_plan(Plan(), *graph_);
        automatic_ = evaluate(graph_, automatic_plan_);
        ASSERT_FALSE(automatic_->refused);
    }

    std::shared_ptr<const Graph> graph_;
    Plan automatic_plan_;
    std::shared_ptr<const Evaluation> automatic_;
};

TEST_F(ExposedTime, OfTheGraphAsItIsIsThatOfItsCollectives) {
    const auto baseline = evaluate_baseline(graph_);
    const std::vector<double> exposed_ms = exposed_ms_of_input(*baseline);
    for (const CollectiveTiming& timing : baseline->simulation.collectives)
        EXPECT_DOUBLE_EQ(exposed_ms[timing.start], timing.exposed_ms);
    EXPECT_NEAR(sum(exposed_ms), baseline->simulation.exposed_ms, 1e-6);
}

/// Gathers that the backward pass does again are of no collective of the graph, and of its module all the same.
TEST_F(ExposedTime, OfWhatIsDoneAgainIsThatOfWhatIsDoneAgain) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    for (const bool merges : {false, true}) {
        Plan plan = plan_of(pipeline_presets(*graph).front(), *graph, "full");
        if (!merges) plan.buckets.clear();
        MemorySection section;
        section.policy = "full";
        const auto evaluation = evaluate(graph, edits::with_memory(plan, section));
        ASSERT_FALSE(evaluation->refused);
        double again_ms = 0;
        for (const CollectiveTiming& timing : evaluation->simulation.collectives)
            if (is_recomputed(*evaluation->graph, timing.start)) again_ms += timing.exposed_ms;
        if (!merges) {
            EXPECT_GT(again_ms, 0);
        }
        EXPECT_NEAR(sum(exposed_ms_of_input(*evaluation)), evaluation->simulation.exposed_ms, 1e-6) << merges;
    }
}

/// The second half of a batch is a pass's own, and of the module that was halved all the same.
TEST_F(ExposedTime, OfBothHalvesOfABatchIsThatOfWhatWasHalved) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "halved"));
    ASSERT_FALSE(evaluation->refused);
    const BatchHalves halves(*evaluation->graph);
    std::map<std::string, double> of_modules_ms;
    std::array<double, 2> of_halves_ms{};
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        const int half = halves.half_of(timing.start);
        if (half < 0) continue;
        of_halves_ms.at(static_cast<std::size_t>(half)) += timing.exposed_ms;
        of_modules_ms[std::string(evaluation->graph->text(evaluation->graph->metadata(timing.start).module_fqn))] +=
            timing.exposed_ms;
    }
    EXPECT_GT(of_halves_ms[0], 0);
    EXPECT_GT(of_halves_ms[1], 0);
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const ModuleExposure exposure = module_exposed_ms(*evaluation, tree);
    EXPECT_NEAR(exposure.modules_ms[ModuleTree::root] + exposure.without_module_ms, evaluation->simulation.exposed_ms,
                1e-6);
    for (const auto& [path, own_ms] : of_modules_ms)
        EXPECT_GE(exposure.modules_ms[tree.find(path)], own_ms - 1e-9) << path;
}

TEST_F(ExposedTime, OfBucketsIsThatOfTheirMembersByBytes) {
    const std::vector<double> exposed_ms = exposed_ms_of_input(*automatic_);
    EXPECT_NEAR(sum(exposed_ms), automatic_->simulation.exposed_ms, 1e-6);
    const auto buckets = final_buckets(*automatic_);
    ASSERT_FALSE(buckets.empty());
    bool compared = false;
    for (const FinalBucket& bucket : buckets) {
        const NodeId start = automatic_->graph->find(bucket.start);
        const auto& collectives = automatic_->simulation.collectives;
        const auto timing = std::ranges::find(collectives, start, &CollectiveTiming::start);
        ASSERT_NE(timing, collectives.end());
        std::int64_t bytes = 0;
        for (const std::string& member : bucket.members) bytes += collective_bytes(*graph_, graph_->find(member));
        for (const std::string& member : bucket.members) {
            const NodeId node = graph_->find(member);
            const double share = static_cast<double>(collective_bytes(*graph_, node)) / static_cast<double>(bytes);
            EXPECT_NEAR(exposed_ms[node], timing->exposed_ms * share, 1e-9) << member;
            compared = compared || timing->exposed_ms > 0;
        }
    }
    EXPECT_TRUE(compared);
}

TEST_F(ExposedTime, OfModulesIsThatOfTheNodesInThem) {
    const ModuleTree tree(*graph_, preferred_module_source(*graph_));
    const std::vector<double> of_node = exposed_ms_of_input(*automatic_);
    const ModuleExposure exposure = module_exposed_ms(*automatic_, tree);
    ASSERT_EQ(exposure.modules_ms.size(), tree.module_count());
    EXPECT_NEAR(exposure.modules_ms[ModuleTree::root] + exposure.without_module_ms, automatic_->simulation.exposed_ms,
                1e-6);
    double in_layers_ms = 0;
    for (const NodeId node : tree.nodes("layers")) in_layers_ms += of_node[node];
    EXPECT_GT(in_layers_ms, 0);
    EXPECT_NEAR(exposure.modules_ms[tree.find("layers")], in_layers_ms, 1e-9);
    EXPECT_LE(exposure.modules_ms[tree.find("layers.0")], in_layers_ms);
}

TEST_F(ExposedTime, ChangesAddUpToTheDifference) {
    const ManualStart start = manual_start(automatic_plan_, *automatic_);
    const auto manual = evaluate(graph_, start.plan);
    const std::vector<ExposureChange> changes = exposure_changes(*automatic_, *manual);
    ASSERT_GT(changes.size(), 1u);
    double added_ms = 0;
    for (const ExposureChange& change : changes) {
        EXPECT_GT(change.members, 0u) << change.collective;
        EXPECT_LE(change.added_ms(), changes.front().added_ms());
        added_ms += change.added_ms();
    }
    // Changes below a microsecond are left out.
    EXPECT_NEAR(added_ms, manual->simulation.exposed_ms - automatic_->simulation.exposed_ms, 0.5);
    EXPECT_TRUE(exposure_changes(*automatic_, *automatic_).empty());
}

}  // namespace
}  // namespace overlap
