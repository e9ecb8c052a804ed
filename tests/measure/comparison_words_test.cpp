// What comparisons say in words.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/measure/collective_match.h"
#include "core/measure/job_match.h"
#include "core/measure/measured_comparison.h"
#include "core/measure/variant_comparison.h"
#include "tests/measure/simulated_trace.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::shared_ptr<const Evaluation> baseline() {
    return evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
}

TEST(ComparisonWords, NamesOfBasesCausesAndChanges) {
    EXPECT_EQ(group_match_basis_name(GroupMatchBasis::ranks), "ranks");
    EXPECT_EQ(group_match_basis_name(GroupMatchBasis::size), "size");
    EXPECT_EQ(group_match_basis_name(GroupMatchBasis::sequence), "sequence");
    EXPECT_EQ(group_match_basis_name(GroupMatchBasis::nothing), "nothing");
    EXPECT_EQ(difference_cause_name(DifferenceCause::none), "none");
    EXPECT_EQ(collective_change_name(CollectiveChange::same), "same");
}

/// The comparison with a step in which number 5 takes two milliseconds more and has these sizes.
MeasuredComparison with_bytes(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t measured_bytes) {
    test::SimulatedTrace written(*evaluation);
    written.lengthen(5, 2'000'000);
    MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const auto row = std::ranges::find(comparison.rows, 5u, &CollectiveComparison::planned);
    comparison.step.collectives[row->measured].bytes = measured_bytes;
    return comparison;
}

std::string explained(const MeasuredComparison& comparison) {
    return comparison.explain(*std::ranges::find(comparison.rows, 5u, &CollectiveComparison::planned));
}

TEST(ComparisonWords, WhatTookAsLongIsNotSaidWithTwoEqualFigures) {
    const auto evaluation = baseline();
    test::SimulatedTrace written(*evaluation);
    written.lengthen(5, 2'000'000);
    const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const auto explained_at = [&](std::uint32_t planned) {
        return comparison.explain(*std::ranges::find(comparison.rows, planned, &CollectiveComparison::planned));
    };
    EXPECT_EQ(explained_at(3), "it took as long as planned; it starts when planned");
    EXPECT_TRUE(explained_at(40).starts_with("it took as long as planned; it starts ")) << explained_at(40);
    EXPECT_TRUE(explained_at(40).ends_with(" later than planned")) << explained_at(40);
    EXPECT_TRUE(explained_at(5).starts_with("it took ")) << explained_at(5);
    EXPECT_NE(explained_at(5).find(" instead of "), std::string::npos) << explained_at(5);
}

TEST(ComparisonWords, AnotherSizeMayExplainAnotherTime) {
    const auto evaluation = baseline();
    const std::int64_t bytes = evaluation->simulation.collectives[5].bytes;
    const std::string slower = "its kernel is slower than the plan's cost model says";
    EXPECT_TRUE(explained(with_bytes(evaluation, bytes)).ends_with(slower));
    EXPECT_TRUE(explained(with_bytes(evaluation, 0))
                    .ends_with(slower + ", unless it is another collective: the trace does not say its size"));
    const std::string other = explained(with_bytes(evaluation, 2'500'000'000));
    EXPECT_NE(other.find(slower + ", or it is the size: 2.328 GiB instead of "), std::string::npos) << other;
}

TEST(ComparisonWords, ARowOfAnotherSizeIsAChangedOne) {
    const auto evaluation = baseline();
    const auto row_with = [&](std::int64_t bytes) {
        const Comparison comparison = compare_variants(with_bytes(evaluation, bytes));
        return *std::ranges::find_if(comparison.rows,
                                     [](const ComparisonRow& row) { return row.before && row.before->index == 5; });
    };
    EXPECT_TRUE(row_with(2'500'000'000).bytes_changed);
    EXPECT_FALSE(row_with(0).bytes_changed) << "a trace that does not say it";
    EXPECT_FALSE(row_with(evaluation->simulation.collectives[5].bytes).bytes_changed);
}

TEST(ComparisonWords, WhatOnlyTheTraceHasIsCalledByItsKernelAndGroup) {
    const auto evaluation = baseline();
    test::SimulatedTrace written(*evaluation);
    written.collectives[3].bytes = 999;
    const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const auto extra = std::ranges::find(comparison.rows, no_index, &CollectiveComparison::planned);
    ASSERT_NE(extra, comparison.rows.end());
    EXPECT_EQ(comparison.group_name(*extra), written.groups[written.collectives[3].group].name);
    EXPECT_NE(comparison.name(*extra), "");
    EXPECT_EQ(comparison.name(*extra).find('('), std::string::npos);
    const auto planned = std::ranges::find(comparison.rows, 3u, &CollectiveComparison::planned);
    EXPECT_EQ(comparison.name(*planned), evaluation->graph->name(evaluation->simulation.collectives[3].start));
    EXPECT_EQ(comparison.group_name(*planned), evaluation->simulation.groups[0].process_group);
}

TEST(ComparisonWords, WithoutCollectivesThereIsNoOtherJob) {
    const JobMatch nothing;
    EXPECT_EQ(nothing.share_of_planned(), 1);
    EXPECT_FALSE(nothing.is_another_job());
    EXPECT_EQ(nothing.doubt(), "");
}

TEST(ComparisonWords, BucketsThatHoldOthersAreMergedOfMore) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto planned = [&](const char* buckets) {
        Plan plan = make_plan(*graph, "plan");
        plan.buckets = parse_bucket_entries(buckets);
        return evaluate(graph, plan);
    };
    const auto small = planned("layers.0"), large = planned("layers.0+norm");
    const Comparison comparison = compare_variants(*small, *large);
    EXPECT_TRUE(std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) {
        return row.remark.find(" instead of ") != std::string::npos && row.members_changed;
    }));
}

TEST(ComparisonWords, BucketsOfAsManySayWhichOnesDiffer) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto planned = [&](const char* buckets) {
        Plan plan = make_plan(*graph, "plan");
        plan.buckets = parse_bucket_entries(buckets);
        return evaluate(graph, plan);
    };
    const Comparison comparison = compare_variants(*planned("layers.0+norm"), *planned("layers.0+layers.1.ffn_norm"));
    std::size_t told = 0;
    for (const ComparisonRow& row : comparison.rows) {
        if (!row.members_changed || row.before->collectives != row.after->collectives) continue;
        EXPECT_EQ(row.before->members, row.after->members);
        EXPECT_TRUE(row.remark.starts_with("merged with ")) << row.remark;
        EXPECT_NE(row.remark.find(" instead of "), std::string::npos) << row.remark;
        const std::string as_many = "of " + std::to_string(row.after->members);
        EXPECT_EQ(row.remark.find(as_many), std::string::npos) << row.remark;
        ++told;
    }
    EXPECT_GT(told, 0u);
}

}  // namespace
}  // namespace overlap
