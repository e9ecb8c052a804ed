#include "core/measure/variant_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/measure/collective_members.h"
#include "core/measure/simulated_times.h"
#include "core/plan/presets.h"
#include "tests/measure/simulated_trace.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::shared_ptr<const Evaluation> planned(const std::shared_ptr<const Graph>& graph, const std::string& buckets) {
    Plan plan = make_plan(*graph, "plan");
    plan.buckets = parse_bucket_entries(buckets);
    return evaluate(graph, plan);
}

/// Every collective of either side is in exactly one row.
void expect_complete(const Comparison& comparison, const Evaluation& before, const Evaluation& after) {
    std::multiset<std::uint32_t> of_before, of_after;
    for (const ComparisonRow& row : comparison.rows) {
        if (row.before) of_before.insert(row.before->index);
        if (row.after) of_after.insert(row.after->index);
    }
    EXPECT_EQ(of_before.size(), before.simulation.collectives.size());
    EXPECT_EQ(std::set<std::uint32_t>(of_before.begin(), of_before.end()).size(), of_before.size());
    EXPECT_EQ(of_after.size(), after.simulation.collectives.size());
    EXPECT_EQ(std::set<std::uint32_t>(of_after.begin(), of_after.end()).size(), of_after.size());
}

TEST(CompareVariants, ARoundingErrorIsNoChange) {
    ComparisonRow row;
    row.before.emplace().exposed_ms = 6.391;
    row.before->time_ms = row.before->start_ms = 6.391;
    row.after = row.before;
    row.after->exposed_ms -= 1.1e-13;
    row.after->time_ms += 4e-7;
    row.after->start_ms -= 4e-7;
    EXPECT_EQ(row.exposed_change_ms(), 0);
    EXPECT_EQ(row.time_change_ms(), 0);
    EXPECT_EQ(row.start_change_ms(), 0);
    row.after->exposed_ms += 2e-6;
    EXPECT_NEAR(row.exposed_change_ms(), 2e-6, 1e-9) << "nanoseconds are what traces count in";
}

TEST(CompareVariants, OfTheSamePlanIsTheSame) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = planned(graph, "layers.[0-3]");
    const Comparison comparison = compare_variants(*evaluation, *evaluation);
    EXPECT_EQ(comparison.count(CollectiveChange::same), comparison.rows.size());
    expect_complete(comparison, *evaluation, *evaluation);
}

/// What is told of a plan is told of a measured step, too, and of both in the statistics.
TEST(CompareVariants, CommunicationIsTimeInWhichAnyCollectiveRuns) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const auto base = evaluate_baseline(graph);
    const auto apart = evaluate(graph, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance"));
    double sum_ms = 0;
    for (const GroupTiming& group : apart->simulation.groups) sum_ms += group.comm_ms;
    const Comparison plans = compare_variants(*base, *apart);
    EXPECT_LT(plans.after.communication_ms, 0.99 * sum_ms);
    EXPECT_NEAR(plans.after.communication_ms, static_cast<double>(simulated_times(*apart).step.communication_ns) / 1e6,
                1e-6);
    const Comparison measured =
        compare_variants(compare_with_measurement(apart, measured_step(test::SimulatedTrace(*apart).finish())));
    EXPECT_NEAR(measured.before.communication_ms, plans.after.communication_ms, 1e-6);
    EXPECT_NEAR(measured.after.communication_ms, plans.after.communication_ms, 0.01);
}

TEST(CompareVariants, TellsWhatABucketTookIn) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto before = evaluate_baseline(graph);
    const auto after = planned(graph, "layers.0, layers.1");
    const Comparison comparison = compare_variants(*before, *after);
    expect_complete(comparison, *before, *after);
    EXPECT_EQ(comparison.before.collectives, before->simulation.collectives.size());
    EXPECT_EQ(comparison.after.exposed_ms, after->simulation.exposed_ms);
    std::size_t merged = 0, members = 0;
    for (const PassReport& report : after->reports) {
        for (const BucketReport& bucket : report.buckets) {
            ++merged;
            members += bucket.members.size();
        }
    }
    ASSERT_GT(merged, 0u);
    EXPECT_EQ(comparison.count(CollectiveChange::merged), members - merged);
    EXPECT_EQ(comparison.count(CollectiveChange::vanished), 0u);
    EXPECT_EQ(comparison.count(CollectiveChange::appeared), 0u);
    EXPECT_EQ(comparison.count(CollectiveChange::changed), merged);
    for (const ComparisonRow& row : comparison.rows) {
        if (row.change == CollectiveChange::changed) {
            EXPECT_TRUE(row.members_changed) << row.remark;
            EXPECT_EQ(row.before->collectives, row.after->members);
            EXPECT_EQ(row.before->members, row.after->members);
            EXPECT_EQ(row.before->bytes, row.after->bytes) << "a bucket stands against all of its members";
            EXPECT_LT(row.time_change_ms(), 0) << row.remark;
        }
        if (row.change == CollectiveChange::merged) {
            EXPECT_FALSE(row.has_effect());
            EXPECT_EQ(row.remark, "merged into " + row.counterpart);
        }
    }
    const auto effects = [](const ComparisonRow& row) { return -std::abs(row.exposed_change_ms()); };
    const auto first_same = std::ranges::find(comparison.rows, false, &ComparisonRow::has_effect);
    EXPECT_TRUE(std::ranges::is_sorted(comparison.rows.begin(), first_same, {}, effects));
    // The rows' effects add up to the step's.
    double effect_ms = 0;
    for (const ComparisonRow& row : comparison.rows) effect_ms += row.exposed_change_ms();
    EXPECT_NEAR(effect_ms, comparison.after.exposed_ms - comparison.before.exposed_ms, 1e-6);
}

TEST(CompareVariants, PairsBucketsThatShareMostMembers) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto one_each = planned(graph, "layers.0, layers.1");
    const auto together = planned(graph, "layers.0+layers.1");
    const Comparison comparison = compare_variants(*one_each, *together);
    expect_complete(comparison, *one_each, *together);
    EXPECT_EQ(comparison.count(CollectiveChange::merged),
              one_each->simulation.collectives.size() - together->simulation.collectives.size());
    const Comparison back = compare_variants(*together, *one_each);
    EXPECT_EQ(back.count(CollectiveChange::split), comparison.count(CollectiveChange::merged));
    EXPECT_EQ(back.count(CollectiveChange::changed), comparison.count(CollectiveChange::changed));
    for (const ComparisonRow& row : back.rows) {
        if (row.change == CollectiveChange::split) {
            EXPECT_NE(row.counterpart, "");
            EXPECT_EQ(row.remark, "split off " + row.counterpart);
        }
        if (row.change == CollectiveChange::changed) {
            EXPECT_EQ(row.before->bytes, row.after->bytes) << "a bucket stands against all that comes out of it";
            EXPECT_GT(row.after->collectives, 1u);
        }
    }
}

TEST(CompareVariants, MembersAreThoseOfTheInputThroughAllSteps) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = planned(graph, "layers.[0-3], norm+output");
    std::set<std::string> all;
    std::size_t count = 0;
    for (const std::vector<std::string>& members : collective_members(*evaluation)) {
        count += members.size();
        all.insert(members.begin(), members.end());
    }
    EXPECT_EQ(count, all.size());
    std::set<std::string> starts;
    const auto baseline = evaluate_baseline(graph);
    for (const CollectiveTiming& collective : baseline->simulation.collectives) {
        starts.emplace(graph->name(collective.start));
    }
    EXPECT_EQ(all, starts);
}

TEST(CompareVariants, AgainstAMeasurement) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    test::SimulatedTrace written(*evaluation);
    written.lengthen(9, 4'000'000);
    written.collectives.erase(written.collectives.begin() + 50);
    const Comparison comparison =
        compare_variants(compare_with_measurement(evaluation, measured_step(written.finish())));
    EXPECT_EQ(comparison.rows.size(), evaluation->simulation.collectives.size());
    const ComparisonRow& first = comparison.rows.front();
    EXPECT_EQ(first.change, CollectiveChange::changed);
    EXPECT_EQ(first.before->index, 9u);
    EXPECT_EQ(first.cause, DifferenceCause::longer_kernel);
    EXPECT_NEAR(first.time_change_ms(), 4, 1e-5);
    EXPECT_EQ(comparison.count(CollectiveChange::vanished), 1u);
    EXPECT_GT(comparison.count(CollectiveChange::moved), 10u);
    EXPECT_NEAR(comparison.after.step_ms - comparison.before.step_ms, 4, 0.05);
}

}  // namespace
}  // namespace overlap
