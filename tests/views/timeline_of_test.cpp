#include "core/views/timeline_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/plan/presets.h"
#include "core/views/bucket_hues.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

class TimelineOf : public testing::Test {
  protected:
    void SetUp() override {
        const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
        Plan plan = make_plan(*graph, "Plan A");
        plan.buckets = one_bucket_per_block(ModuleTree(*graph, ModuleSource::module_fqn), graph.get());
        evaluation_ = evaluate(graph, plan);
        timeline_ = timeline_of(*evaluation_);
    }

    static std::int64_t ns(double time_ms) { return std::llround(time_ms * 1e6); }

    std::shared_ptr<const Evaluation> evaluation_;
    std::shared_ptr<const Timeline> timeline_;
};

TEST_F(TimelineOf, HasALaneForComputeAndOneForEachGroup) {
    const Simulation& simulation = evaluation_->simulation;
    ASSERT_EQ(timeline_->lanes().size(), 1 + simulation.groups.size());
    EXPECT_EQ(timeline_->lanes()[0].description.kind, LaneKind::compute);
    EXPECT_EQ(timeline_->lanes()[1].description.kind, LaneKind::process_group);
    EXPECT_EQ(timeline_->lanes()[1].description.title, "Gathers + scatters");
    EXPECT_EQ(timeline_->lanes()[1].description.subtitle, "group 0, 64 ranks");
    EXPECT_EQ(timeline_->range().begin_ns, 0);
    EXPECT_EQ(timeline_->range().end_ns, ns(simulation.step_ms));
}

/// Lanes of groups come in the order of the file, whichever group a plan uses first.
TEST(TimelineOfPlans, KeepsLanesInTheirPlaces) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, ModuleSource::module_fqn), graph.get());
    std::vector<std::string> groups;
    for (const ProcessGroup& listed : graph->header().process_groups) groups.push_back(listed.name);
    bool differs = false;  // whether groups are used in another order anywhere
    for (const auto& evaluation : {evaluate_baseline(graph), evaluate(graph, plan)}) {
        std::vector<std::string> expected, used, lanes;
        for (const GroupTiming& group : evaluation->simulation.groups) used.push_back(group.process_group);
        for (const std::string& group : groups)
            if (std::ranges::find(used, group) != used.end()) expected.push_back(group);
        const auto timeline = timeline_of(*evaluation);
        for (const Lane& lane : timeline->lanes())
            if (lane.description.kind == LaneKind::process_group)
                lanes.push_back(lane.description.subtitle.substr(6, lane.description.subtitle.find(',') - 6));
        EXPECT_EQ(lanes, expected);
        differs = differs || used != expected;
    }
    EXPECT_TRUE(differs);
}

TEST_F(TimelineOf, HasTheSimulationsTimes) {
    const Simulation& simulation = evaluation_->simulation;
    double busy_ms = 0, stalled_ms = 0;
    const Lane& compute = timeline_->lanes()[0];
    for (std::uint32_t index = 0; index < compute.size(); ++index) {
        const double length_ms = static_cast<double>(compute.event(index).length_ns()) * 1e-6;
        (compute.role[index] == EventRole::exposed ? stalled_ms : busy_ms) += length_ms;
    }
    EXPECT_NEAR(busy_ms, simulation.compute_ms, 0.01);
    EXPECT_NEAR(stalled_ms, simulation.exposed_ms, 0.01);
    const Lane& group = timeline_->lanes()[1];
    EXPECT_EQ(group.size(), simulation.collectives.size());
}

TEST_F(TimelineOf, RefersToNodes) {
    const std::vector<std::uint32_t> hues =
        bucket_hues(*evaluation_->resolved->modules, evaluation_->resolved->plan.buckets);
    for (const CollectiveTiming& timing : evaluation_->simulation.collectives) {
        // Itself, and its stall where it has one.
        const auto found = timeline_->find(timing.start);
        ASSERT_FALSE(found.empty());
        const EventLocation location = found.back().location;
        EXPECT_EQ(timeline_->event_name(location), evaluation_->graph->name(timing.start));
        EXPECT_EQ(timeline_->event(location), (TimeRange{ns(timing.start_ms), ns(timing.end_ms)}));
        const std::int32_t entry = evaluation_->bucket_of_node[timing.start];
        const EventRole role = timeline_->lanes()[location.lane].role[location.event];
        EXPECT_EQ(role, entry < 0 ? EventRole::unbucketed : bucket_role(hues[static_cast<std::size_t>(entry)]));
    }
}

TEST_F(TimelineOf, BucketsWithoutEntryTakeTheHuesAfterTheEntries) {
    Plan plan = make_plan(*evaluation_->input, "Automatic");
    plan.buckets = {{{"layers.0"}}, {{"layers.1"}}};
    plan.pipeline = {{"schedule_overlap_bucketing", {{"collective_bucketing", true}}}};
    const auto automatic = evaluate(evaluation_->input, plan);
    const auto timeline = timeline_of(*automatic);
    std::vector<EventRole> roles;
    for (const BucketReport& bucket : automatic->reports.at(0).buckets) {
        const NodeId start = automatic->graph->find(bucket.start);
        if (start == no_node) continue;
        const EventLocation location = timeline->find(start).back().location;
        roles.push_back(timeline->lanes()[location.lane].role[location.event]);
    }
    ASSERT_GE(roles.size(), 2u);
    EXPECT_EQ(roles[0], bucket_role(2));
    EXPECT_EQ(roles[1], bucket_role(3));
}

TEST_F(TimelineOf, NothingIsOfABucketThatNoStepTakes) {
    const auto coloured = [](const Timeline& timeline) {
        std::size_t count = 0;
        for (const Lane& lane : timeline.lanes())
            count += static_cast<std::size_t>(std::ranges::count_if(
                lane.role, [](EventRole role) { return role >= EventRole::bucket_0 && role <= EventRole::bucket_7; }));
        return count;
    };
    EXPECT_GT(coloured(*timeline_), 0u);
    Plan plan = evaluation_->resolved->plan;
    plan.pipeline.at(0).enabled = false;
    EXPECT_EQ(coloured(*timeline_of(*evaluate(evaluation_->input, plan))), 0u);
}

TEST_F(TimelineOf, CurveReachesThePeak) {
    const MemoryCurve& memory = timeline_->memory();
    EXPECT_EQ(memory.bytes[timeline_->memory_peak()], evaluation_->corrected_memory.peak_bytes);
    EXPECT_TRUE(std::is_sorted(memory.time_ns.begin(), memory.time_ns.end()));
    const auto other = timeline_of(*evaluation_, StorageRule::reference);
    const MemoryCurve& estimated = other->memory();
    EXPECT_EQ(estimated.bytes[estimated.peak()], evaluation_->memory.peak_bytes);
}

TEST(TimelineOfAPreset, HasTheWholeExposedTimeOfEachCollective) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "As torchtitan runs it"));
    const auto timeline = timeline_of(*evaluation);
    std::size_t longer = 0;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        if (timing.exposed_ms <= 0) continue;
        for (const Timeline::Occurrence& occurrence : timeline->find(timing.start)) {
            if (timeline->lanes()[occurrence.location.lane].description.kind != LaneKind::process_group) continue;
            EXPECT_NEAR(static_cast<double>(timeline->exposed_ns(occurrence.location)), timing.exposed_ms * 1e6, 1);
            longer += timing.exposed_ms > timing.end_ms - timing.start_ms + 1e-6;
        }
    }
    EXPECT_GT(longer, 0u) << "some wait for those ahead of them, too";
}

}  // namespace
}  // namespace overlap
