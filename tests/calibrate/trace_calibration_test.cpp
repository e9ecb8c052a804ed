// Calibration from traces of jobs: simulated steps written down as a profiler would.

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/calibrate/calibration.h"
#include "core/calibrate/prediction.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/io/profile_file.h"
#include "tests/measure/simulated_trace.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> sample(const std::string& name) {
    return read_graph_file(OVERLAP_TEST_DATA "/graphs/" + name + ".graph.json.gz");
}

NamedCostModel true_device() {
    NamedCostModel device = *built_in_cost_model("h200-sxm");
    device.links_of_groups["0"] = {0.08, 0, 2.4e11};
    return device;
}

/// The run that a trace of the graph on the device tells, matched with the graph as the built-in model sees it.
CalibrationRun run_on(const std::shared_ptr<const Graph>& graph) {
    const auto truth = evaluate_baseline(with_cost_model(graph, true_device()).graph);
    const auto predicted = evaluate_baseline(with_cost_model(graph, *built_in_cost_model("h200-sxm")).graph);
    const test::SimulatedTrace trace(*truth);
    const MeasuredComparison comparison = compare_with_measurement(predicted, measured_step(trace.finish()));
    return run_of_trace("job", comparison, ProfileTables(read_profile_text(trace.json(), "job")));
}

bool has_note(const std::vector<std::string>& notes, std::string_view part) {
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(TraceCalibration, LinksOfAJobAreFound) {
    const std::vector<CalibrationRun> runs = {run_on(sample("llama3_8b_fsdp64.prebucket"))};
    const Calibration calibration = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    const LinkCost& link = calibration.model.links_of_groups.at("0");
    EXPECT_NEAR(link.latency_ms, 0.08, 0.004);
    EXPECT_NEAR(link.bytes_per_s, 2.4e11, 0.02 * 2.4e11);
    const auto row = std::ranges::find(calibration.rows, "0", &CalibrationRow::name);
    ASSERT_NE(row, calibration.rows.end());
    EXPECT_LT(row->after.median, 0.01);
    EXPECT_GT(row->before.median, 0.05);
    EXPECT_EQ(calibration.notes.front(),
              "the trace job has times of 686 of 686 collectives of the graph and of 0 other nodes");
    EXPECT_TRUE(has_note(calibration.notes,
                         "no compute of the runs could be matched with the graph, so compute is priced by "
                         "\"h200-sxm\" as before"))
        << testing::PrintToString(calibration.notes);
    EXPECT_FALSE(has_note(calibration.notes, "worse than before")) << testing::PrintToString(calibration.notes);
}

TEST(TraceCalibration, AStepThatIsToldWorseIsSaid) {
    std::vector<CalibrationRun> runs = {run_on(sample("llama3_8b_fsdp64.prebucket"))};
    // A step as the model had it before: whatever is fitted to the collectives moves away from it.
    runs.front().step_ms = predict(runs.front().graph, *built_in_cost_model("h200-sxm")).step_ms;
    const Calibration calibration = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    EXPECT_TRUE(has_note(calibration.notes, "warning: the model predicts the step of job worse than before: measured "))
        << testing::PrintToString(calibration.notes);
}

TEST(TraceCalibration, ATraceOfAnotherPlanIsTakenWithAWarning) {
    const auto graph = sample("llama3_debugmodel_fsdp8.prebucket");
    MeasuredComparison comparison;
    comparison.evaluation = evaluate_baseline(graph);
    const test::SimulatedTrace trace(*comparison.evaluation);
    comparison = compare_with_measurement(comparison.evaluation, measured_step(trace.finish()));
    EXPECT_FALSE(has_note(run_of_trace("job", comparison, ProfileTables(ProfileRecords{})).notes, "another plan"));
    comparison.only_measured = comparison.matching.pairs;
    EXPECT_TRUE(has_note(run_of_trace("job", comparison, ProfileTables(ProfileRecords{})).notes,
                         "warning: the trace job may be of another plan: "));
}

TEST(TraceCalibration, ATraceOfAnotherJobIsRefused) {
    const auto graph = sample("llama3_8b_fsdp64.prebucket");
    const auto other = sample("llama3_debugmodel_fsdp8.prebucket");
    const test::SimulatedTrace trace(*evaluate_baseline(other));
    const MeasuredComparison comparison =
        compare_with_measurement(evaluate_baseline(graph), measured_step(trace.finish()));
    try {
        run_of_trace("job", comparison, ProfileTables(ProfileRecords{}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("so it is of another job or another plan"), std::string::npos);
    }
}

}  // namespace
}  // namespace overlap
