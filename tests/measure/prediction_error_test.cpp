#include "core/measure/prediction_error.h"

#include <gtest/gtest.h>

#include "core/io/profile_file.h"
#include "tests/measure/simulated_trace.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(PredictionError, IsNothingForAJobThatDidAsPlanned) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const test::SimulatedTrace written(*evaluation);
    const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const PredictionError error = error_of_plan(comparison);
    EXPECT_EQ(error.collectives, written.collectives.size());
    EXPECT_LT(error.mean_absolute_ms, 1e-6);
    EXPECT_LT(error.median_relative, 1e-5);
}

TEST(PredictionError, IsRelativeToWhatWasMeasured) {
    MeasuredComparison comparison;
    for (const auto& [planned_ms, measured_ms] : {std::pair(1.0, 4.0), {6.0, 4.0}, {1.0, 0.0}, {9.0, 10.0}}) {
        CollectiveComparison& row = comparison.rows.emplace_back();
        row.planned = row.measured = 0;
        row.planned_ms = planned_ms;
        row.measured_ms = measured_ms;
    }
    comparison.rows.emplace_back().planned_ms = 100;  // has no partner
    const PredictionError error = error_of_plan(comparison);
    EXPECT_EQ(error.collectives, 4u);
    EXPECT_DOUBLE_EQ(error.mean_absolute_ms, (3.0 + 2 + 1 + 1) / 4);
    EXPECT_DOUBLE_EQ(error.median_relative, 0.5);
}

TEST(PredictionError, OfAProfileOfTheJobIsSmallerThanThatOfTheModel) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    test::SimulatedTrace written(*evaluation);
    for (std::size_t index = 0; index < written.collectives.size(); ++index) written.lengthen(index, 50'000);
    const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const PredictionError before = error_of_plan(comparison);
    EXPECT_NEAR(before.mean_absolute_ms, 0.05, 1e-6);

    const ProfileRecords records = read_profile_text(written.json(), "trace.json");
    ASSERT_EQ(records.collectives.size(), written.collectives.size());
    const ProfileError after = error_of_profile(comparison, ProfileTables(records));
    EXPECT_EQ(after.from_profile, written.collectives.size());
    EXPECT_LT(after.error.mean_absolute_ms, before.mean_absolute_ms / 100);
    EXPECT_LT(after.error.median_relative, before.median_relative / 100);
}

TEST(PredictionError, OfATimeSourceIsThatOfItsTimesBesideThatOfTheGraph) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto own = evaluate_baseline(graph);
    test::SimulatedTrace written(*own);
    for (std::size_t index = 0; index < written.collectives.size(); ++index) written.lengthen(index, 50'000);
    const auto source = std::make_shared<const TimeSource>(
        TimeSource{"trace.json", ProfileTables(read_profile_text(written.json(), "trace.json"))});
    const auto sourced = evaluate_baseline(graph, {}, source);
    EXPECT_EQ(sourced->time_source, source);
    EXPECT_EQ(sourced->sourced_collectives, written.collectives.size());

    const MeasuredComparison comparison = compare_with_measurement(sourced, measured_step(written.finish()));
    EXPECT_NEAR(error_of_graph(comparison).mean_absolute_ms, 0.05, 1e-6);
    EXPECT_LT(error_of_plan(comparison).mean_absolute_ms, 0.0005);
    const MeasuredComparison without = compare_with_measurement(own, measured_step(written.finish()));
    EXPECT_EQ(error_of_graph(without).mean_absolute_ms, error_of_plan(without).mean_absolute_ms);
}

}  // namespace
}  // namespace overlap
