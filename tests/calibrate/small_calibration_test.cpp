// Calibrations of small steps, whose figures follow by hand.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/calibrate/calibration.h"
#include "tests/calibrate/calibration_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

Calibration calibration_of(const CalibrationRun& run, const NamedCostModel& model = plain_device()) {
    return calibrate({&run, 1}, {model, false}, "x");
}

TEST(SmallCalibration, FindsEfficiencyOverheadAndSlowdownOfAClass) {
    CalibrationSketch drawn;
    for (const double work_ms : {1.0, 2.0, 4.0, 8.0}) {
        drawn.measured(drawn.moved(work_ms), 0.5 + 2 * work_ms);
        // A fifth of what runs beside communication is lost: a slowdown of a quarter.
        drawn.measured(drawn.moved(work_ms), (0.5 + 2 * work_ms) / 0.8, (0.5 + 2 * work_ms) / 0.8);
    }
    const Calibration found = calibration_of(drawn.finish());
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_EQ(found.rows[0].kind, CalibrationRow::Kind::compute_class);
    EXPECT_EQ(found.rows[0].name, "memory");
    EXPECT_EQ(found.rows[0].samples, 8u);
    EXPECT_EQ(found.rows[0].note, "");
    EXPECT_NEAR(found.model.classes.at("memory").efficiency, 0.5, 1e-6);
    EXPECT_NEAR(found.model.classes.at("memory").overhead_ms, 0.5, 1e-6);
    EXPECT_NEAR(found.model.contention->compute_slowdown.at("memory"), 0.25, 1e-6);
    EXPECT_FALSE(found.model.contention->communication_slowdown);
    EXPECT_EQ(found.model.description, "Calibrated from 1 run, beginning with \"plain\"");
}

TEST(SmallCalibration, FindsTheLinkAndTheSlowdownOfAGroup) {
    CalibrationSketch drawn;
    for (const std::int64_t bytes : {4'000'000, 8'000'000, 16'000'000, 32'000'000}) {
        const double time_ms = 3 + static_cast<double>(bytes) / 2e6;
        drawn.measured(drawn.reduced(bytes), time_ms);
        drawn.measured(drawn.reduced(bytes), time_ms / 0.5, time_ms / 0.5);
    }
    for (const double work_ms : {1.0, 2.0, 4.0}) {
        drawn.measured(drawn.moved(work_ms), work_ms);
        drawn.measured(drawn.moved(work_ms), work_ms / 0.8, work_ms / 0.8);
    }
    const Calibration found = calibration_of(drawn.finish());
    EXPECT_NEAR(found.model.links_of_groups.at("0").latency_ms, 3, 1e-6);
    EXPECT_NEAR(found.model.links_of_groups.at("0").bytes_per_s, 2e9, 1);
    EXPECT_EQ(found.rows[0].kind, CalibrationRow::Kind::process_group);
    EXPECT_NEAR(*found.model.contention->communication_slowdown, 1, 1e-6);
    // Communication that compute slows down to half of its rate disturbs compute half as much.
    EXPECT_NEAR(found.model.contention->compute_slowdown.at("memory"), 0.25 * (1 + 1), 1e-6);
}

TEST(SmallCalibration, LeavesOutFactorsThatARunDoesNotTell) {
    CalibrationSketch drawn;
    drawn.measured(drawn.moved(1), 2);
    NamedCostModel model = plain_device();
    model.contention = NamedCostModel::Contention{{{"memory", 0.5}}, 0.3, true};
    const Calibration found = calibration_of(drawn.finish(), model);
    ASSERT_TRUE(found.model.contention);
    EXPECT_TRUE(found.model.contention->compute_slowdown.empty());
    EXPECT_FALSE(found.model.contention->communication_slowdown);
    EXPECT_TRUE(found.model.contention->groups_share_links);
}

TEST(SmallCalibration, SaysWhatOneSizeDoesNotDetermine) {
    CalibrationSketch drawn;
    for (int index = 0; index < 3; ++index) {
        drawn.measured(drawn.moved(4), 10);
        drawn.measured(drawn.reduced(4'000'000), 10);
    }
    NamedCostModel model = plain_device();
    const Calibration plain = calibration_of(drawn.finish(), model);
    EXPECT_EQ(plain.rows[0].note, "sizes vary too little to determine its latency");
    EXPECT_EQ(plain.rows[1].note, "sizes vary too little to determine its overhead");
    EXPECT_EQ(plain.model.classes.at("memory").overhead_ms, 0);  // the base has none
    EXPECT_DOUBLE_EQ(plain.model.classes.at("memory").efficiency, 0.4);
    model.classes["memory"] = {1, 2};
    const Calibration with_overhead = calibration_of(drawn.run, model);
    EXPECT_EQ(with_overhead.model.classes.at("memory").overhead_ms, 2);
    EXPECT_DOUBLE_EQ(with_overhead.model.classes.at("memory").efficiency, 0.5);
}

TEST(SmallCalibration, ScalesTheRatesOfEachKind) {
    NamedCostModel model = plain_device();
    LinkCost& link = model.links_of_groups["0"];
    link = {0, 0, 1e9};
    link.kinds[CollectiveKind::all_gather] = {{0, 1e9}};
    link.kinds[CollectiveKind::all_reduce] = {{0.5, 2e9}};
    CalibrationSketch drawn;
    // Each takes twice what was known of it, and 1 ms.
    for (const int megabytes : {4, 8, 16, 32, 64}) {
        const NodeId source = drawn.input(megabytes * 250'000);
        drawn.measured(drawn.sketch.gather("gather" + std::to_string(megabytes), source, 0), 1 + 2.0 * megabytes);
        drawn.measured(drawn.reduced(megabytes * 1'000'000), 1 + 2 * (0.5 + 0.5 * megabytes));
    }
    const Calibration found = calibration_of(drawn.finish(), model);
    EXPECT_EQ(found.rows[0].note, "its rates of each kind of collective are scaled");
    const auto& kinds = found.model.links_of_groups.at("0").kinds;
    EXPECT_NEAR(kinds.at(CollectiveKind::all_reduce)[0].latency_ms, 2, 1e-3);
    EXPECT_NEAR(kinds.at(CollectiveKind::all_reduce)[0].bytes_per_s, 1e9, 1e6);
    EXPECT_NEAR(kinds.at(CollectiveKind::all_gather)[0].latency_ms, 1, 1e-3);
    EXPECT_NEAR(kinds.at(CollectiveKind::all_gather)[0].bytes_per_s, 5e8, 1e6);
    // Where none ran alone both are said.
    for (NodeSample& sample : drawn.run.samples) sample.beside_ms = sample.time_ms;
    EXPECT_EQ(calibration_of(drawn.run, model).rows[0].note,
              "too few, or only small ones, ran alone, so all count as they are; its rates of each kind of collective "
              "are scaled");
}

TEST(SmallCalibration, LeavesAClassThatNoLineFits) {
    CalibrationSketch drawn;
    drawn.measured(drawn.moved(0), 1);
    NamedCostModel model = plain_device();
    model.classes["memory"] = {0.7, 0.1};
    const Calibration found = calibration_of(drawn.finish(), model);
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_EQ(found.rows[0].note, "no efficiency fits its times, so it stays as it was");
    EXPECT_EQ(found.model.classes.at("memory").efficiency, 0.7);
    EXPECT_FALSE(found.rows[0].held_out);
}

TEST(SmallCalibration, TakesGeneratedKernelsForTheirWholeClass) {
    CalibrationSketch drawn;
    const NodeId first = drawn.moved(2), second = drawn.moved(6), alone = drawn.moved(1);
    drawn.run.compilation = Compilation{.scope = CompiledScope::whole};
    drawn.run.generated = {.nodes = {first, second}, .modelled = 2, .measured = 2, .total_ms = 20};
    drawn.measured(alone, 100);
    NamedCostModel model = plain_device();
    model.classes["memory"] = {1, 2};
    const Calibration found = calibration_of(drawn.finish({first, second, alone}), model);
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_EQ(found.rows[0].samples, 2u);
    EXPECT_EQ(found.rows[0].note, "by the sum of 2 kernels that the compiler wrote");
    EXPECT_EQ(found.model.classes.at("memory").overhead_ms, 2);
    EXPECT_DOUBLE_EQ(found.model.classes.at("memory").efficiency, 8.0 / (20 - 4));
    EXPECT_FALSE(found.rows[0].held_out);
}

TEST(SmallCalibration, FindsTheRateOfCopiesToTheHost) {
    CalibrationSketch drawn;
    const NodeId moved = drawn.moved(2);
    for (int index = 0; index < 2; ++index) {
        drawn.measured(drawn.call("ao.offload.default", GraphSketch::values({moved}),
                                  drawn.sketch.tensor("float32", {250'000}, "cpu")),
                       0.25 + index * 0.25);
    }
    NamedCostModel model = plain_device();
    model.host_link_bytes_per_s = 1e9;
    const Calibration found = calibration_of(drawn.finish(), model);
    EXPECT_DOUBLE_EQ(found.model.host_link_bytes_per_s, 2e6 / 0.75 * 1e3);
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_EQ(found.rows[0].kind, CalibrationRow::Kind::host_link);
    EXPECT_EQ(found.rows[0].samples, 2u);
}

TEST(SmallCalibration, TellsErrorsBeforeAndAfter) {
    CalibrationSketch drawn;
    // The base predicts 1, 2, 4 and 8: half of what was measured, but of the last a quarter.
    for (const double work_ms : {1.0, 2.0, 4.0}) drawn.measured(drawn.moved(work_ms), 2 * work_ms);
    drawn.measured(drawn.moved(8), 32);
    const CalibrationRow row = calibration_of(drawn.finish()).rows.at(0);
    EXPECT_NEAR(row.before.median, 0.5, 1e-9);
    EXPECT_NEAR(row.before.ninetieth, 0.5 + 0.7 * 0.25, 1e-9);
    EXPECT_LT(row.after.median, 0.2);
    EXPECT_GT(row.after.ninetieth, row.after.median);
}

TEST(SmallCalibration, NamesItsOrigin) {
    CalibrationSketch drawn;
    drawn.run.versions = {{"torch", "2.15"}};
    drawn.run.device = "some device";
    drawn.run.notes = {"a note of the run"};
    drawn.measured(drawn.moved(2), 4);
    const Calibration found = calibration_of(drawn.finish());
    EXPECT_EQ(found.model.name, "x");
    EXPECT_EQ(found.model.origin.kind, "calibration");
    EXPECT_EQ(found.model.origin.runs, std::vector<std::string>{"run"});
    EXPECT_EQ(found.model.origin.versions, (std::map<std::string, std::string>{{"torch", "2.15"}}));
    EXPECT_EQ(found.model.device_name, "some device");
    EXPECT_EQ(found.notes.front(), "a note of the run");
}

TEST(SmallCalibration, NeedsARunWithATime) {
    EXPECT_EQ(problem_of([] { calibrate({}, {plain_device(), false}, "x"); }), "there is no run to calibrate from");
    CalibrationSketch drawn;
    drawn.moved(2);
    EXPECT_EQ(problem_of([&] { calibration_of(drawn.finish()); }),
              "the runs have no time of a node that could be fitted");
}

/// What was measured of nodes by name.
RunnerTimes times_of(const Graph& graph, std::initializer_list<std::pair<NodeId, double>> measured) {
    RunnerTimes times;
    times.step_ms = 20;
    for (const auto& [node, time_ms] : measured) times.node_ms.emplace(graph.name(node), time_ms);
    return times;
}

TEST(RunOfARunner, TellsWhatRanBesideWhat) {
    CalibrationSketch drawn;
    const NodeId reduced = drawn.reduced(4000), moved = drawn.moved(1), waited = drawn.waited(reduced);
    const NodeId after = drawn.moved(1);
    const auto graph = std::make_shared<const Graph>(drawn.sketch.finish({waited}));
    const CalibrationRun run = run_of_runner("run", graph, times_of(*graph, {{reduced, 10}, {moved, 4}, {after, 3}}));
    ASSERT_EQ(run.samples.size(), 3u);
    EXPECT_EQ(run.samples[0].node, reduced);
    EXPECT_EQ(run.samples[0].beside_ms, 4);
    EXPECT_EQ(run.samples[0].beside_others_ms, 0);
    EXPECT_EQ(run.samples[1].beside_ms, 4);
    EXPECT_EQ(run.samples[2].beside_ms, 0);
    EXPECT_EQ(run.exposed_ms, 6);
    EXPECT_EQ(run.step_ms, 20);
    EXPECT_TRUE(run.as_traced);
    EXPECT_EQ(run.name, "run");
}

TEST(RunOfARunner, TellsWhichCollectivesRanBesideOthersOfAnotherGroup) {
    CalibrationSketch drawn;
    drawn.sketch.group("1", 4, 0, 1e9);
    const NodeId first = drawn.reduced(4000, "0"), same = drawn.reduced(4000, "0"), other = drawn.reduced(4000, "1");
    const auto graph = std::make_shared<const Graph>(drawn.sketch.finish());
    // The two of group 0 run one after the other, that of group 1 beside the first and a part of the second.
    const CalibrationRun run = run_of_runner("run", graph, times_of(*graph, {{first, 4}, {same, 5}, {other, 6}}));
    EXPECT_EQ(run.samples[0].beside_others_ms, 4);
    EXPECT_EQ(run.samples[1].beside_others_ms, 2);
    EXPECT_EQ(run.samples[2].beside_others_ms, 6);
}

TEST(RunOfARunner, HasOneSampleOfEachKernel) {
    CalibrationSketch drawn;
    const NodeId first = drawn.moved(1), second = drawn.moved(1), third = drawn.moved(1);
    const auto graph = std::make_shared<const Graph>(drawn.sketch.finish());
    RunnerTimes times = times_of(*graph, {{first, 1}, {second, 2}, {third, 4}});
    times.compiled = CompiledScope::whole;
    for (const NodeId node : {first, third}) times.kernel_of_node.emplace(graph->name(node), graph->name(third));
    const CalibrationRun run = run_of_runner("run", graph, times);
    ASSERT_EQ(run.samples.size(), 2u);
    EXPECT_EQ(run.samples[0].node, second);
    EXPECT_EQ(run.samples[1].node, third);
    EXPECT_EQ(run.samples[1].others, std::vector<NodeId>{first});
    EXPECT_EQ(run.samples[1].time_ms, 5);
    EXPECT_EQ(run.samples[1].sum({0, 10, 0, 20, 0, 40, 0}), 50);
    EXPECT_FALSE(run.as_traced);
    EXPECT_EQ(run.compilation->scope, CompiledScope::whole);
}

}  // namespace
}  // namespace overlap::test
