#include "core/calibrate/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "core/calibrate/prediction.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"
#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/presets.h"
#include "core/predict/compiled_times.h"
#include "core/simulate/contention.h"
#include "core/simulate/simulation.h"

namespace overlap {
namespace {

/// A device that nobody has a model of: other efficiencies than the built-in one, and contention.
NamedCostModel true_device() {
    NamedCostModel device = *built_in_cost_model("h200-sxm");
    device.classes = {{"matrix_multiply", {0.52, 0.006}}, {"attention", {0.31, 0.010}}, {"memory", {0.71, 0.003}}};
    device.cluster.reset();
    device.gpus_per_node = 8;
    device.within_node = LinkCost{0.025, 0.0006, 3.1e11};
    device.between_nodes = LinkCost{0.045, 0.0020, 3.3e10};
    device.contention =
        NamedCostModel::Contention{{{"matrix_multiply", 0.18}, {"attention", 0.12}, {"memory", 0.30}}, 0.10, false};
    return device;
}

std::shared_ptr<const Graph> sample() {
    static const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz");
    return graph;
}

/// The graph after a plan with `blocks` transformer blocks a bucket.
std::shared_ptr<const Graph> bucketed(std::size_t blocks) {
    const PipelinePreset preset = pipeline_presets(*sample()).front();
    Plan plan = plan_of(preset, *sample(), "plan");
    std::vector<BucketEntry> merged;
    for (const BucketEntry& entry : plan.buckets) {
        const bool joins = !merged.empty() && merged.back().modules.size() < blocks;
        if (!joins) merged.emplace_back();
        merged.back().modules.insert(merged.back().modules.end(), entry.modules.begin(), entry.modules.end());
    }
    plan.buckets = merged;
    const auto evaluation = evaluate(sample(), plan);
    EXPECT_FALSE(evaluation->refused);
    return evaluation->graph;
}

/// What a runner would measure of the graph on the device. @param noise relative standard deviation of each time.
RunnerTimes measure(const std::shared_ptr<const Graph>& graph, const NamedCostModel& device, double noise = 0,
                    double outliers = 0) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    std::bernoulli_distribution outlying(outliers);
    const Prediction truth = predict(graph, device);
    RunnerTimes times;
    times.step_ms = truth.step_ms;
    times.exposed_ms = truth.exposed_ms;
    times.device = "device under test";
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (truth.times_ms[node] <= 0) continue;
        const double factor = std::max(0.2, 1 + noise * normal(random)) * (outlying(random) ? 6 : 1);
        times.node_ms[std::string(graph->name(node))] = truth.times_ms[node] * factor;
    }
    return times;
}

CalibrationBase base() {
    return {*built_in_cost_model("h200-sxm"), false};
}

Calibration calibrated(const std::vector<std::shared_ptr<const Graph>>& graphs, double noise = 0, double outliers = 0) {
    std::vector<CalibrationRun> runs;
    for (const auto& graph : graphs)
        runs.push_back(
            run_of_runner("run " + std::to_string(runs.size()), graph, measure(graph, true_device(), noise, outliers)));
    return calibrate(runs, base(), "calibrated");
}

const CalibrationRow& row_of(const Calibration& calibration, const std::string& name) {
    for (const CalibrationRow& row : calibration.rows) {
        if (row.name == name) return row;
    }
    throw std::runtime_error("no row " + name);
}

void expect_classes(const Calibration& calibration, double tolerance) {
    for (const auto& [name, truth] : true_device().classes) {
        const CostParameters::ClassCost& found = calibration.model.classes.at(name);
        EXPECT_NEAR(found.efficiency, truth.efficiency, tolerance * truth.efficiency) << name;
    }
}

TEST(Calibration, FactorsOfADeviceAreFoundAgain) {
    const Calibration calibration = calibrated({sample(), bucketed(2)});
    expect_classes(calibration, 0.03);
    const auto& contention = calibration.model.contention;
    ASSERT_TRUE(contention);
    ASSERT_TRUE(contention->communication_slowdown);
    EXPECT_NEAR(*contention->communication_slowdown, 0.10, 0.03);
    EXPECT_NEAR(contention->compute_slowdown.at("matrix_multiply"), 0.18, 0.04);
    EXPECT_NEAR(row_of(calibration, "matrix_multiply").after.median, 0, 0.02);
    EXPECT_GT(row_of(calibration, "matrix_multiply").before.median, 0.05);
    EXPECT_EQ(calibration.model.device_name, "device under test");
    EXPECT_EQ(calibration.model.origin.kind, "calibration");
    EXPECT_EQ(calibration.model.origin.runs, (std::vector<std::string>{"run 0", "run 1"}));
}

TEST(Calibration, TheLinkToTheHostHasTheRateOfItsCopies) {
    const auto traced = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz");
    Plan plan = plan_of(pipeline_presets(*traced).front(), *traced, "plan");
    plan.memory.emplace();
    plan.memory->policy = "sac_and_offload";
    const auto graph = evaluate(traced, plan)->graph;
    NamedCostModel device = true_device();
    device.host_link_bytes_per_s = 21e9;
    const std::vector<CalibrationRun> runs{run_of_runner("run", graph, measure(graph, device))};
    const Calibration calibration = calibrate(runs, base(), "calibrated");
    EXPECT_NEAR(calibration.model.host_link_bytes_per_s / 21e9, 1, 1e-3);
    const CalibrationRow& row = row_of(calibration, "host");
    EXPECT_EQ(row.kind, CalibrationRow::Kind::host_link);
    EXPECT_GT(row.samples, 10u);
    EXPECT_NEAR(row.before.median, 1 - 21.0 / 54.4, 0.01);
    EXPECT_LT(row.after.median, 0.001);
    // Compute beside nothing but copies ran alone, and what is moved on the device has the device's rate.
    EXPECT_NEAR(calibration.model.classes.at("memory").efficiency, device.classes.at("memory").efficiency, 0.03);
}

TEST(Calibration, NoiseAndOutliersMoveFactorsLittle) {
    expect_classes(calibrated({sample(), bucketed(2)}, 0.05), 0.06);
    expect_classes(calibrated({sample(), bucketed(2)}, 0.03, 0.05), 0.08);
}

TEST(Calibration, ARunPredictsOtherPlans) {
    const Calibration calibration = calibrated({bucketed(2)}, 0.02);
    std::vector<double> measured, predicted;
    for (const std::size_t blocks : {1, 4, 8}) {
        const auto graph = bucketed(blocks);
        const Prediction truth = predict(graph, true_device());
        const Prediction found = predict(graph, calibration.model);
        EXPECT_NEAR(found.step_ms, truth.step_ms, 0.05 * truth.step_ms) << blocks;
        EXPECT_NEAR(found.exposed_ms, truth.exposed_ms, 0.10 * truth.exposed_ms) << blocks;
        measured.push_back(truth.step_ms);
        predicted.push_back(found.step_ms);
    }
    for (std::size_t left = 0; left < measured.size(); ++left) {
        for (std::size_t right = 0; right < measured.size(); ++right)
            EXPECT_EQ(measured[left] < measured[right], predicted[left] < predicted[right]);
    }
}

TEST(Calibration, WhatARunDoesNotTellIsSaid) {
    // In a graph without a plan each collective is awaited at once, so nothing runs beside anything.
    const Calibration calibration = calibrated({sample()});
    ASSERT_TRUE(calibration.model.contention);
    EXPECT_FALSE(calibration.model.contention->communication_slowdown);
    EXPECT_TRUE(calibration.model.contention->compute_slowdown.empty());
    EXPECT_NE(std::find(calibration.notes.begin(), calibration.notes.end(),
                        "by how much compute slows communication down is not known: too few collectives of one process "
                        "group ran both alone and beside compute"),
              calibration.notes.end());
    expect_classes(calibration, 0.02);
}

TEST(Calibration, TimesOfClassesThatNoRunKnowsAreKeptInSum) {
    // Nodes with times of their own, which no line of a class has; the run knows collectives alone.
    const auto modelled = with_cost_model(sample(), *built_in_cost_model("h200-sxm")).graph;
    std::vector<double> own_ms = node_times_ms(*modelled);
    const std::vector<ComputeClass> classes = compute_classes(*modelled);
    double memory_ms = 0;
    for (NodeId node = 0; node < own_ms.size(); ++node) {
        if (classes[node] != ComputeClass::memory) continue;
        own_ms[node] *= node % 2 == 0 ? 1.5 : 1.1;
        memory_ms += own_ms[node];
    }
    const auto graph = with_times(modelled, own_ms);
    RunnerTimes times = measure(graph, true_device());
    std::erase_if(times.node_ms,
                  [&](const auto& node) { return classes[modelled->find(node.first)] != ComputeClass::communication; });
    const NamedCostModel own = named_model_of(*graph->header().cost, "graph");
    const std::vector<CalibrationRun> runs = {run_of_runner("run", graph, times)};
    const Calibration calibration = calibrate(runs, {own, true}, "calibrated");

    const std::vector<double> after_ms = node_times_ms(*with_cost_model(graph, calibration.model).graph);
    double memory_after_ms = 0;
    for (NodeId node = 0; node < after_ms.size(); ++node)
        memory_after_ms += classes[node] == ComputeClass::memory ? after_ms[node] : 0;
    EXPECT_NEAR(memory_after_ms, memory_ms, 0.001 * memory_ms);
    const auto told = [&](const std::string& part) {
        return std::ranges::any_of(calibration.notes,
                                   [&](const std::string& note) { return note.find(part) != std::string::npos; });
    };
    EXPECT_TRUE(told("no run determines memory: its ")) << testing::PrintToString(calibration.notes);
    EXPECT_TRUE(told("single nodes change by up to "));
    EXPECT_TRUE(told("no run determines matrix_multiply, whose times stay as they were"));
    EXPECT_EQ(calibration.model.classes.at("matrix_multiply").efficiency, own.classes.at("matrix_multiply").efficiency);
    EXPECT_FALSE(told("as before"));
}

TEST(Calibration, ARunnersNodesAreOfNoCompiledJob) {
    // A runner starts each operator by itself, so its run says the same of a graph whose job compiles.
    const auto traced = with_cost_model(sample(), *built_in_cost_model("h200-sxm")).graph;
    const auto compiled = with_compilation(traced, Compilation{});
    const RunnerTimes times = measure(traced, true_device());
    const Calibration of_traced = calibrate(std::vector{run_of_runner("run", traced, times)}, base(), "x");
    const Calibration of_compiled = calibrate(std::vector{run_of_runner("run", compiled, times)}, base(), "x");
    EXPECT_EQ(of_compiled.steps[0].after_ms, of_traced.steps[0].after_ms);
    EXPECT_EQ(of_compiled.model.classes.at("memory").efficiency, of_traced.model.classes.at("memory").efficiency);
}

TEST(Calibration, KernelsThatARunnerFusedAreSamplesAsAWhole) {
    const Compilation whole{.scope = CompiledScope::whole};
    const auto graph = with_cost_model(sample(), true_device()).graph;
    const CompiledTimes truth = compiled_times(*graph, whole);
    RunnerTimes times;
    times.compiled = CompiledScope::whole;
    times.step_ms = predict(sample(), true_device(), whole).step_ms;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (truth.times_ms[node] > 0) times.node_ms.emplace(graph->name(node), truth.times_ms[node]);
    }
    for (const FusedKernel& kernel : truth.kernels.kernels) {
        if (kernel.nodes.size() < 2) continue;
        for (const NodeId node : kernel.nodes)
            times.kernel_of_node.emplace(graph->name(node), graph->name(kernel.nodes.back()));
    }
    ASSERT_GT(times.kernel_of_node.size(), 100u);
    const Calibration calibration = calibrate(std::vector{run_of_runner("run", sample(), times)}, base(), "x");
    expect_classes(calibration, 0.01);
    const CostParameters::ClassCost& memory = calibration.model.classes.at("memory");
    EXPECT_NEAR(memory.overhead_ms, true_device().classes.at("memory").overhead_ms, 1e-4);
    EXPECT_NEAR(calibration.steps[0].after_ms / times.step_ms, 1, 0.01);
}

TEST(Calibration, StepsAreToldBeforeAndAfter) {
    const Calibration calibration = calibrated({bucketed(2)});
    ASSERT_EQ(calibration.steps.size(), 1u);
    const CalibratedStep& step = calibration.steps.front();
    const Compilation each_operator{.scope = CompiledScope::eager};
    EXPECT_EQ(step.before_ms, predict(bucketed(2), base().model, each_operator).step_ms);
    EXPECT_EQ(step.after_ms, predict(bucketed(2), calibration.model, each_operator).step_ms);
    EXPECT_LT(std::abs(step.after_ms - *step.measured_ms), std::abs(step.before_ms - *step.measured_ms));
}

TEST(Calibration, WithoutRunsOrTimesThereIsNone) {
    EXPECT_THROW(calibrate({}, base(), "x"), InputError);
    EXPECT_THROW(run_of_runner("x", sample(), RunnerTimes{}), InputError);
}

}  // namespace
}  // namespace overlap
