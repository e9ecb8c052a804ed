#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/graph/error.h"
#include "core/run/run.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

Graph small_graph() {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered = sketch.gather("gather", x, 1);
    const NodeId waited = sketch.wait("wait", gathered);
    const NodeId last =
        sketch.call("relu", "aten.relu.default", GraphSketch::values({waited}), {sketch.tensor("float32", {16})});
    return sketch.finish({last});
}

TEST(RunSteps, WarmUpStepsDoNotCountAndProgressIsTold) {
    const Graph graph = small_graph();
    const Program program = make_program(graph);
    DryExecutor executor(program);
    const auto ranks = single_rank();
    RunOptions options;
    options.warm_up = 2;
    options.iterations = 3;
    std::vector<std::uint32_t> seen;
    options.progress = [&](std::uint32_t done, std::uint32_t of) {
        EXPECT_EQ(of, 5u);
        seen.push_back(done);
    };
    EXPECT_EQ(run_steps(program, executor, *ranks, options).size(), 3u);
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(executor.commands(), 5u * 3u);
}

TEST(RunSteps, ADryRunNoticesAWaitBeforeItsLaunch) {
    const Graph graph = small_graph();
    Program program = make_program(graph);
    std::swap(program.commands[0], program.commands[1]);
    DryExecutor executor(program);
    EXPECT_THROW(run_steps(program, executor, *single_rank(), {}), InputError);
}

TEST(RunJson, SaysForEachGroupHowItIsRun) {
    const Graph graph = small_graph();
    const Program program = make_program(graph);
    const MemoryPlan memory = plan_memory(graph, program);
    RunRecord record;
    record.graph_name = "g\"raph";
    record.machines = {"host"};
    record.groups = {place_group(program.groups[0], 4, 1, 0)};
    const auto json = nlohmann::json::parse(run_json(graph, program, memory, record));
    EXPECT_EQ(json["format"], "overlap-run");
    EXPECT_EQ(json["mode"], "dry_run");
    EXPECT_EQ(json["graph"]["name"], "g\"raph");
    EXPECT_EQ(json["groups"][0]["runs"], "emulated");
    EXPECT_EQ(json["groups"][0]["because"], "it has 4 ranks, and 1 is attached");
    EXPECT_EQ(json["groups"][0]["bytes"], 64);
    EXPECT_EQ(json["commands"]["all"], 3);
    EXPECT_FALSE(json.contains("step_ms")) << "a dry run measures nothing";
}

}  // namespace
}  // namespace overlap::test
