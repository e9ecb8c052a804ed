// Calibration from traces of jobs: simulated steps written down as a profiler would.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/error.h"
#include "core/calibrate/calibration.h"
#include "core/calibrate/plan_prediction.h"
#include "core/calibrate/prediction.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/io/profile_file.h"
#include "core/pipeline/execution.h"
#include "core/plan/presets.h"
#include "core/predict/compiled_times.h"
#include "tests/cost/graph_sketch.h"
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

/// What a profiler would have of products and attention: operators by name and sizes of their tensors.
ProfileRecords operators_of(const Evaluation& truth) {
    ProfileRecords records;
    const Graph& graph = *truth.graph;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const ComputeClass of_node = compute_class(graph, node);
        if (of_node != ComputeClass::matrix_multiply && of_node != ComputeClass::attention) continue;
        const std::string target(graph.target(node));
        const std::size_t dot = target.find('.');
        ProfiledOperator profiled;
        profiled.name = target.substr(0, dot) + "::" + target.substr(dot + 1, target.rfind('.') - dot - 1);
        for (const NodeId input : graph.inputs(node)) {
            // Of what is no tensor, such as the function of an attention's scores, a profile has empty lists.
            std::vector<std::int64_t>& shape = profiled.shapes.emplace_back();
            std::vector<std::int64_t>& stride = profiled.strides.emplace_back();
            if (graph.outputs(input).empty()) continue;
            const TensorMeta& tensor = graph.outputs(input)[0];
            shape.assign(graph.shape(tensor).begin(), graph.shape(tensor).end());
            stride.assign(graph.stride(tensor).begin(), graph.stride(tensor).end());
        }
        profiled.dtype = graph.outputs(node)[0].dtype;
        profiled.time_us = truth.times_ms[node] * 1e3;
        records.operators.push_back(std::move(profiled));
    }
    return records;
}

NamedCostModel slow_device() {
    NamedCostModel device = *built_in_cost_model("h200-sxm");
    device.classes["matrix_multiply"].efficiency = 0.52;
    device.classes["memory"].efficiency = 0.6;
    return device;
}

/// The run of a job that compiles its blocks. Kernels that the compiler writes are called as Inductor calls them.
CalibrationRun compiled_run(const std::shared_ptr<const Graph>& graph) {
    const Compilation blocks{.scope = CompiledScope::blocks};
    const auto truth = evaluate_baseline(with_compilation(with_cost_model(graph, slow_device()).graph, blocks));
    const auto predicted =
        evaluate_baseline(with_compilation(with_cost_model(graph, *built_in_cost_model("h200-sxm")).graph, blocks));
    const std::vector<bool> generated = compiled_times(*truth->graph, blocks).generated;
    test::SimulatedTrace trace(*truth);
    for (test::SimulatedTrace::Kernel& kernel : trace.compute)
        kernel.name = generated[kernel.node] ? "triton_poi_fused_add_mul_3" : "nvjet_tst_128x256";
    const MeasuredComparison comparison = compare_with_measurement(predicted, measured_step(trace.finish()));
    return run_of_trace("job", comparison, ProfileTables(operators_of(*truth)));
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

TEST(TraceCalibration, KernelsOfACompiledJobAreCalibratedAsItRunsThem) {
    const std::vector<CalibrationRun> runs = {compiled_run(sample("llama3_8b_fsdp64.prebucket"))};
    const CalibrationRun& run = runs.front();
    ASSERT_TRUE(run.compilation);
    EXPECT_GT(run.generated.modelled, 500u);
    EXPECT_LT(run.generated.modelled, run.generated.nodes.size());  // several nodes share a kernel
    const Calibration calibration = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    EXPECT_NEAR(calibration.model.classes.at("memory").efficiency, 0.6, 0.006);
    EXPECT_NEAR(calibration.model.classes.at("matrix_multiply").efficiency, 0.52, 0.01);
    const auto memory = std::ranges::find(calibration.rows, "memory", &CalibrationRow::name);
    ASSERT_NE(memory, calibration.rows.end());
    EXPECT_LT(memory->after.median, 0.01);
    EXPECT_GT(memory->before.median, 0.2);
    EXPECT_EQ(memory->note,
              "by the sum of " + std::to_string(run.generated.modelled) + " kernels that the compiler wrote");
    EXPECT_NEAR(calibration.steps[0].after_ms, *run.step_ms, 0.001 * *run.step_ms);

    // Priced as traced, the same trace has no kernels of a compiler and another step.
    CalibrationRun as_traced = run;
    as_traced.compilation.reset();
    as_traced.generated = {};
    const Calibration other = calibrate(std::vector{as_traced}, {*built_in_cost_model("h200-sxm"), false}, "job");
    EXPECT_EQ(std::ranges::find(other.rows, "memory", &CalibrationRow::name), other.rows.end());
    EXPECT_GT(std::abs(other.steps[0].after_ms - *run.step_ms), 0.005 * *run.step_ms);
}

TEST(TraceCalibration, PlansArePredictedWithTheErrorThatIsExpected) {
    const auto graph = sample("llama3_8b_fsdp64.prebucket");
    std::vector<CalibrationRun> runs = {compiled_run(graph)};
    const Calibration exact = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    const PipelinePreset preset = pipeline_presets(*graph).front();
    const Plan plan = plan_of(preset, *graph, "plan");
    const std::optional<Compilation> blocks = runs[0].compilation;
    const PlanPrediction prediction = predict_plan(exact, graph, &plan, "plan", blocks);
    EXPECT_EQ(prediction.refusal, "");
    ASSERT_TRUE(prediction.expected_error);
    EXPECT_LT(*prediction.expected_error, 0.02);

    const auto truth = execute(resolve(with_cost_model(graph, slow_device()).graph, plan));
    const double true_ms = predict(truth->graph, blocks).step_ms;
    EXPECT_NEAR(prediction.step_ms, true_ms, *prediction.expected_error * true_ms);

    // A step that was measured a tenth longer than its kernels, and products that scatter, are in the error.
    runs[0].step_ms = *runs[0].step_ms * 1.1;
    for (std::size_t index = 0; index < runs[0].samples.size(); ++index)
        runs[0].samples[index].time_ms *= index % 50 < 10 ? 1.3 : 1;
    const Calibration noisy = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    const PlanPrediction uncertain = predict_plan(noisy, graph, &plan, "plan", blocks);
    EXPECT_GT(*uncertain.expected_error, *error_of_steps(noisy));
    EXPECT_GT(*uncertain.expected_error, *prediction.expected_error + 0.03);

    runs[0].step_ms.reset();
    const Calibration without_step = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    EXPECT_FALSE(predict_plan(without_step, graph, nullptr, "as it is", blocks).expected_error);
}

TEST(TraceCalibration, AStepThatIsToldWorseIsSaid) {
    std::vector<CalibrationRun> runs = {run_on(sample("llama3_8b_fsdp64.prebucket"))};
    // A step as the model had it before: whatever is fitted to the collectives moves away from it.
    runs.front().step_ms = predict(runs.front().graph, *built_in_cost_model("h200-sxm")).step_ms;
    const Calibration calibration = calibrate(runs, {*built_in_cost_model("h200-sxm"), false}, "job");
    EXPECT_TRUE(has_note(calibration.notes, "caution: the model predicts the step of job worse than before: measured "))
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
                         "caution: the trace job may be of another plan: "));
}

TEST(TraceCalibration, AFewCollectivesWithoutAPartnerAreUsual) {
    MeasuredComparison comparison;
    comparison.evaluation = evaluate_baseline(sample("llama3_debugmodel_fsdp8.prebucket"));
    const test::SimulatedTrace trace(*comparison.evaluation);
    comparison = compare_with_measurement(comparison.evaluation, measured_step(trace.finish()));
    const auto notes = [&](std::uint32_t pairs, std::uint32_t only_measured, std::uint32_t only_planned) {
        comparison.matching.pairs = pairs;
        comparison.only_measured = only_measured;
        comparison.only_planned = only_planned;
        return run_of_trace("job", comparison, ProfileTables(ProfileRecords{})).notes;
    };
    EXPECT_EQ(notes(95, 5, 5).size(), 1u);
    EXPECT_EQ(notes(94, 6, 0).front(),
              "caution: the trace job may be of another plan: 6 of 100 collectives of the trace are not in the graph "
              "with its plan, and 0 of 94 of that graph are not in the trace");
    EXPECT_EQ(notes(94, 0, 6).size(), 2u);
}

/// A small step of a job that is compiled as a whole, as it was measured.
CalibrationRun small_compiled_run(const std::string& kernel) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {1000}));
    const NodeId reduced = sketch.reduce("reduced", x, 1), wait = sketch.wait("wait", reduced);
    const NodeId a =
        sketch.call("a", "aten.exp.default", test::GraphSketch::values({wait}), {sketch.tensor("float32", {16})});
    const auto graph = with_compilation(std::make_shared<const Graph>(sketch.finish({a})), Compilation{});
    const auto evaluation = evaluate_baseline(graph);
    test::SimulatedTrace trace(*evaluation);
    EXPECT_EQ(trace.compute.size(), 1u);
    trace.compute.at(0).name = kernel;
    return run_of_trace("job", compare_with_measurement(evaluation, measured_step(trace.finish())),
                        ProfileTables(ProfileRecords{}));
}

TEST(TraceCalibration, TheLastKernelOfAStepCounts) {
    const CalibrationRun run = small_compiled_run("triton_poi_fused_exp_0");
    EXPECT_EQ(run.generated.measured, 1u);
    EXPECT_GT(run.generated.total_ms, 0);
    ASSERT_EQ(run.samples.size(), 1u);
    EXPECT_GT(run.samples[0].time_ms, 0);
    EXPECT_LT(run.samples[0].time_ms, 1);
    EXPECT_EQ(run.notes.back(),
              "the trace job has 1 kernel that the compiler wrote, and the model makes 1; they are compared as a sum");
    // Templates are products and attention, which stand for themselves.
    EXPECT_EQ(small_compiled_run("triton_tem_fused_mm_0").generated.measured, 0u);
    EXPECT_EQ(small_compiled_run("gemm").generated.measured, 0u);
}

TEST(TraceCalibration, CollectivesBesideThoseOfAnotherGroupAreTold) {
    test::GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    sketch.reduce("first", x, 4, "0");
    sketch.reduce("second", x, 3, "1");
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish()));
    const test::SimulatedTrace trace(*evaluation);
    const CalibrationRun run = run_of_trace("job", compare_with_measurement(evaluation, measured_step(trace.finish())),
                                            ProfileTables(ProfileRecords{}));
    ASSERT_EQ(run.samples.size(), 2u);
    for (const NodeSample& sample : run.samples) {
        EXPECT_DOUBLE_EQ(sample.beside_others_ms, 3);
        EXPECT_EQ(sample.beside_ms, 0);
    }
    EXPECT_DOUBLE_EQ(*run.step_ms, 4);
    EXPECT_DOUBLE_EQ(*run.exposed_ms, 4);
}

TEST(TraceCalibration, OfAJobThatCompilesNothingNoKernelsAreTold) {
    const auto evaluation = evaluate_baseline(sample("llama3_debugmodel_fsdp8.prebucket"));
    const test::SimulatedTrace trace(*evaluation);
    const CalibrationRun run = run_of_trace("job", compare_with_measurement(evaluation, measured_step(trace.finish())),
                                            ProfileTables(ProfileRecords{}));
    EXPECT_FALSE(has_note(run.notes, "that the compiler wrote"));
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
