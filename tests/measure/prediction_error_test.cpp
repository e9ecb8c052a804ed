#include "core/measure/prediction_error.h"

#include <gtest/gtest.h>

#include "core/io/profile_file.h"
#include "tests/measure/simulated_trace.h"
#include "tests/plan/test_graphs.h"

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

TEST(PredictionError, OfAProfileOfTheJobIsSmallerThanThatOfTheModel) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    test::SimulatedTrace written(*evaluation);
    // Sizes of the trace are in bytes; the profile is asked for elements of the graph's dtypes.
    for (std::size_t index = 0; index < written.collectives.size(); ++index) written.lengthen(index, 50'000);
    const MeasuredComparison comparison = compare_with_measurement(evaluation, measured_step(written.finish()));
    const PredictionError before = error_of_plan(comparison);
    EXPECT_NEAR(before.mean_absolute_ms, 0.05, 1e-6);

    ProfileRecords records = read_profile_text(written.json(), "trace.json");
    ASSERT_EQ(records.collectives.size(), written.collectives.size());
    for (std::size_t index = 0; index < records.collectives.size(); ++index) {
        const NodeId start = evaluation->simulation.collectives[index].start;
        const TensorMeta& output = evaluation->graph->outputs(start)[0];
        records.collectives[index].dtype = c10_dtype_name(output.dtype);
        records.collectives[index].output_elements = evaluation->graph->element_count(output);
    }
    const ProfileError after = error_of_profile(comparison, ProfileTables(records));
    EXPECT_EQ(after.from_profile, written.collectives.size());
    EXPECT_LT(after.error.mean_absolute_ms, before.mean_absolute_ms / 100);
    EXPECT_LT(after.error.median_relative, before.median_relative / 100);
}

}  // namespace
}  // namespace overlap
