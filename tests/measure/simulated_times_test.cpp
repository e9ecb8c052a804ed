#include "core/measure/simulated_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::int64_t in_ns(double ms) {
    return std::llround(ms * 1e6);
}

TEST(SimulatedTimes, AreTheFiguresOfTheSimulation) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const Simulation& simulation = evaluation->simulation;
    const SimulatedTimes times = simulated_times(*evaluation);
    EXPECT_EQ(times.step.span_ns, in_ns(simulation.step_ms));
    EXPECT_EQ(times.step.compute_ns, in_ns(simulation.compute_ms));
    EXPECT_EQ(times.step.exposed_ns, in_ns(simulation.exposed_ms));
    EXPECT_EQ(times.step.idle_ns, times.step.span_ns - times.step.compute_ns - times.step.exposed_ns);
    ASSERT_TRUE(times.step.overlap_percent());
    // Each collective's end is rounded to a nanosecond.
    EXPECT_GE(times.step.communication_ns + static_cast<std::int64_t>(simulation.collectives.size()),
              times.step.exposed_ns);
    ASSERT_EQ(times.groups.size(), simulation.groups.size());
    std::int64_t communication_ns = 0, exposed_ns = 0;
    for (std::size_t group = 0; group < times.groups.size(); ++group) {
        const GpuTimes& of_group = times.groups[group].times;
        EXPECT_EQ(times.groups[group].process_group, simulation.groups[group].process_group);
        EXPECT_EQ(of_group.activities, simulation.groups[group].collectives);
        // Collectives of a group run one after the other; each end is rounded to a nanosecond.
        EXPECT_NEAR(static_cast<double>(of_group.communication_ns), simulation.groups[group].comm_ms * 1e6,
                    static_cast<double>(of_group.activities));
        EXPECT_EQ(of_group.span_ns, of_group.communication_ns + of_group.idle_ns);
        EXPECT_EQ(of_group.compute_ns, 0);
        communication_ns += of_group.communication_ns;
        exposed_ns += of_group.exposed_ns;
    }
    EXPECT_LE(times.step.communication_ns, communication_ns);  // groups may run at the same time
    EXPECT_NEAR(static_cast<double>(exposed_ns), static_cast<double>(times.step.exposed_ns), 10);
}

TEST(SimulatedTimes, CountWhatTakesTime) {
    test::GraphSketch sketch;
    const NodeId first = sketch.call("first", "aten.full.default", {}, {sketch.tensor("float32", {4})}, 2);
    const NodeId second = sketch.cast("second", first, 1), idle = sketch.cast("idle", second, 0);
    const NodeId reduced = sketch.reduce("reduced", idle, 5);
    const auto evaluation = evaluate_baseline(std::make_shared<const Graph>(sketch.finish({reduced})));
    const SimulatedTimes times = simulated_times(*evaluation);
    EXPECT_EQ(times.step.activities, 3u);
    ASSERT_EQ(times.groups.size(), 1u);
    EXPECT_EQ(times.groups[0].times.activities, 1u);
    EXPECT_EQ(times.groups[0].times.begin_ns, in_ns(3));
    EXPECT_EQ(times.groups[0].times.communication_ns, in_ns(5));
}

TEST(SimulatedTimes, WhatComputeWaitsForCopiesIsATimeOfItsOwn) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    MemorySection section;
    section.policy = "sac_and_offload";
    const auto evaluation = evaluate(
        graph, edits::with_memory(plan_of(pipeline_presets(*graph).front(), *graph, "plan"), std::move(section)));
    ASSERT_GT(evaluation->simulation.transfer_exposed_ms, 0);
    const SimulatedTimes times = simulated_times(*evaluation);
    EXPECT_EQ(times.copies_exposed_ns, in_ns(evaluation->simulation.transfer_exposed_ms));
    EXPECT_NEAR(static_cast<double>(times.step.span_ns),
                static_cast<double>(times.step.compute_ns + times.step.exposed_ns + times.copies_exposed_ns +
                                    times.step.idle_ns),
                3);
}

}  // namespace
}  // namespace overlap
