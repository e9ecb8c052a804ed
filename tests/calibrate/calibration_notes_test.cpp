// What a calibration says of runs that tell little.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/calibrate/calibration.h"
#include "core/calibrate/fitted_link.h"
#include "core/calibrate/line_fit.h"
#include "core/calibrate/plan_prediction.h"
#include "core/cost/built_in_cost_models.h"
#include "core/plan/plan.h"
#include "tests/support/problem_of.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> small_graph() {
    static const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    return graph;
}

CalibrationBase built_in_base() {
    return {*built_in_cost_model("h200-sxm"), false};
}

/// A run in which each node of `kind` took `time_ms` and nothing else has a time.
CalibrationRun run_of(const std::string& name, CollectiveKind kind, double time_ms, const std::string& device = {}) {
    RunnerTimes times;
    times.step_ms = 1;
    times.device = device;
    const Graph& graph = *small_graph();
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).starts == kind)
            times.node_ms.emplace(graph.name(node), time_ms);
    }
    return run_of_runner(name, small_graph(), times);
}

bool notes_say(const Calibration& calibration, const std::string& part) {
    return std::ranges::any_of(calibration.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(CalibrationNotes, RunsOfDifferentDevicesAreTold) {
    const std::vector runs{run_of("one", CollectiveKind::all_gather, 0.5, "device A"),
                           run_of("other", CollectiveKind::all_gather, 0.5, "device B")};
    const Calibration calibration = calibrate(runs, built_in_base(), "x");
    EXPECT_EQ(calibration.model.device_name, "device A");
    EXPECT_TRUE(notes_say(calibration, "the runs are of different devices, \"device B\" and \"device A\""));
    EXPECT_EQ(calibration.model.description, "Calibrated from 2 runs, beginning with \"h200-sxm\"");
}

TEST(CalibrationNotes, ComputeThatNoRunHasIsPricedAsBefore) {
    const std::vector runs{run_of("one", CollectiveKind::all_gather, 0.5)};
    const Calibration calibration = calibrate(runs, built_in_base(), "x");
    EXPECT_TRUE(notes_say(calibration,
                          "no compute of the runs could be matched with the graph, so compute is priced by "
                          "\"h200-sxm\" as before"));
    EXPECT_EQ(calibration.model.device_name, built_in_base().model.device_name);
}

TEST(CalibrationNotes, AKernelOfNoNodeIsAnError) {
    RunnerTimes times;
    const std::string node(small_graph()->name(small_graph()->node_count() / 2));
    times.node_ms.emplace(node, 1.0);
    times.kernel_of_node.emplace(node, "nowhere");
    EXPECT_EQ(test::problem_of([&] { run_of_runner("run.json", small_graph(), times); }),
              "run.json: nodes: the kernel \"nowhere\" is of no node with a time");
    EXPECT_EQ(test::problem_of([] { run_of_runner("run.json", small_graph(), {}); }),
              "run.json: nodes: no node of the graph has a time there");
}

TEST(CalibrationNotes, APlanThatIsRefusedHasNoFigures) {
    const std::vector runs{run_of("one", CollectiveKind::all_gather, 0.5)};
    const Calibration calibration = calibrate(runs, built_in_base(), "x");
    Plan plan = make_plan(*small_graph(), "plan");
    plan.pipeline = {PassStep{"overlap_no_such_pass"}};
    const PlanPrediction refused = predict_plan(calibration, small_graph(), &plan, "plan", {});
    EXPECT_NE(refused.refusal, "");
    EXPECT_EQ(refused.step_ms, 0);
    EXPECT_EQ(refused.expected_error, std::nullopt);
    const PlanPrediction as_it_is = predict_plan(calibration, small_graph(), nullptr, "graph", {});
    EXPECT_EQ(as_it_is.refusal, "");
    EXPECT_GT(as_it_is.step_ms, 0);
    EXPECT_TRUE(as_it_is.expected_error);
}

TEST(CalibrationNotes, StepsWithoutATimeSayNothingOfErrors) {
    Calibration calibration;
    EXPECT_EQ(error_of_steps(calibration), std::nullopt);
    calibration.steps.push_back({"none", {}, {}, 1, 1, 1, 1});
    calibration.steps.push_back({"zero", 0.0, {}, 1, 1, 1, 1});
    EXPECT_EQ(error_of_steps(calibration), std::nullopt);
    calibration.steps.push_back({"half", 2.0, {}, 1, 1, 1, 1});
    EXPECT_EQ(error_of_steps(calibration), 0.5);
}

TEST(CalibrationNotes, ALinkThatNothingFitsHasNone) {
    CostParameters::Link known{"0", 0.02, 3e11};
    EXPECT_FALSE(fit_link({}, known).fit);
    known.kinds[CollectiveKind::all_gather] = {{0.02, 3e11}};
    // What was known of no bandwidth, or of some of the samples, is no line to change.
    CostParameters::Link without_bandwidth = known;
    without_bandwidth.bytes_per_s = 0;
    std::vector<FittedSample> rising;
    for (int index = 1; index <= 30; ++index)
        rising.push_back({double(index) * 1e6, 0.1 + 0.01 * index, 0.0, 0, 0.05 + 0.005 * index});
    EXPECT_TRUE(fit_link(rising, without_bandwidth).link.kinds.empty());
    EXPECT_EQ(fit_link(rising, known).link.kinds.size(), 1u);
    rising[3].known_ms = 0;
    EXPECT_TRUE(fit_link(rising, known).link.kinds.empty());
}

}  // namespace
}  // namespace overlap
