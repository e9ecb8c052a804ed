#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
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
    record.groups[0].settings.high_priority = true;
    record.groups[0].settings.max_ctas = 8;
    const auto json = nlohmann::json::parse(run_json(graph, program, memory, record));
    EXPECT_EQ(json["format"], "overlap-run");
    EXPECT_EQ(json["mode"], "dry_run");
    EXPECT_EQ(json["graph"]["name"], "g\"raph");
    EXPECT_EQ(json["groups"][0]["runs"], "emulated");
    EXPECT_EQ(json["groups"][0]["because"], "it has 4 ranks, and 1 is attached");
    EXPECT_EQ(json["groups"][0]["bytes"], 64);
    EXPECT_EQ(json["groups"][0]["settings"], (nlohmann::json{{"stream_priority", "high"}, {"max_ctas", 8}}));
    EXPECT_EQ(json["commands"], (nlohmann::json{{"compute", 1}, {"collective", 1}, {"transfer", 0}, {"all", 3}}));
    EXPECT_FALSE(json.contains("step_ms")) << "a dry run measures nothing";
    EXPECT_FALSE(json["ranks"][0].contains("step_ms"));
}

/// A run on two ranks that play a group of the small graph together.
RunRecord measured_record(const Graph& graph, const Program& program) {
    RunRecord record;
    record.dry = false;
    record.machines = {"a", "b"};
    record.groups = {place_group(program.groups[0], 4, 4, 0)};
    record.bytes_beside_pool = 77;
    record.work = {1, 9, 4, 5, 2, 3, 6, 7, 8};
    record.compiled = CompiledScope::blocks;
    record.environment = {{"NCCL_ALGO", "ring"}};
    record.notes = {"a note"};
    record.step_ms = {4, 2, 3};
    record.ranks = {{{4, 2, 3}, {}}, {{5, 5, 6}, {}, {0.5, 1.5, 1}}};
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.name(node) == "gather") {
            record.nodes.push_back({node, 2.5, 2, 3, 0.75});
            record.ranks[1].node_ms = {{node, 2}};
        }
        if (graph.name(node) == "relu") record.nodes.push_back({node, 1.5, 1, 2});
    }
    record.modelled_ms.assign(graph.node_count(), 1.25);
    return record;
}

TEST(RunJson, TellsRanksKindsAndWhatStandsIn) {
    const Graph graph = small_graph();
    const Program program = make_program(graph);
    RunRecord record = measured_record(graph, program);
    record.recorded_steps = 5;
    record.aligned = {{0, 2, 1.5, 2.25, 0.5}};
    const auto json = nlohmann::json::parse(run_json(graph, program, plan_memory(graph, program), record));
    EXPECT_EQ(json["ranks"][1]["step_ms"]["median"], 5);
    EXPECT_EQ(json["ranks"][1]["step_ms"]["maximum"], 6);
    EXPECT_EQ(json["ranks"][1]["exposed_ms"], 1);
    EXPECT_FALSE(json["ranks"][0].contains("exposed_ms")) << "nothing was recorded there";
    EXPECT_EQ(json["step_ms"]["median"], 3) << "rank 0's";
    EXPECT_EQ(json["memory"]["scratch_bytes"], 77);
    EXPECT_EQ(json["work"], (nlohmann::json{{"own_products", 1},
                                            {"scaled_products", 9},
                                            {"expert_products", 4},
                                            {"attentions", 5},
                                            {"stand_in_products", 2},
                                            {"moved_bytes", 3},
                                            {"fused_kernels", 6},
                                            {"fused_nodes", 7},
                                            {"inlined_nodes", 8}}));
    EXPECT_EQ(json["compiled"], "blocks");
    EXPECT_EQ(json["environment"]["NCCL_ALGO"], "ring");
    EXPECT_EQ(json["notes"][0], "a note");
    EXPECT_EQ(json["nodes"][0], (nlohmann::json{{"name", "gather"},
                                                {"kind", "all_gather"},
                                                {"process_group", "0"},
                                                {"bytes", 64},
                                                {"median_ms", 2.0},
                                                {"minimum_ms", 1.5},
                                                {"maximum_ms", 2.25},
                                                {"late_peers_ms", 0.5},
                                                {"exposed_ms", 0.75},
                                                {"ranks_ms", {nullptr, 2.0}}}))
        << "its own time, without the wait for ranks that came later";
    EXPECT_EQ(json["nodes"][1]["kind"], "memory");
    EXPECT_EQ(json["nodes"][1]["median_ms"], 1.5);
}

TEST(RunJson, AnEmulatedCollectiveStandsBesideItsModelledTime) {
    const Graph graph = small_graph();
    const Program program = make_program(graph);
    RunRecord record = measured_record(graph, program);
    record.groups = {place_group(program.groups[0], 4, 1, 0)};
    const auto json = nlohmann::json::parse(run_json(graph, program, plan_memory(graph, program), record));
    EXPECT_EQ(json["nodes"][0]["median_ms"], 2.5);
    EXPECT_EQ(json["nodes"][0]["modelled_ms"], 1.25);
    EXPECT_FALSE(json["nodes"][1].contains("modelled_ms"));
}

TEST(RunJson, WithoutRecordedStepsThereIsNoExposedTime) {
    const Graph graph = small_graph();
    const Program program = make_program(graph);
    const RunRecord record = measured_record(graph, program);
    const auto json = nlohmann::json::parse(run_json(graph, program, plan_memory(graph, program), record));
    EXPECT_FALSE(json.contains("recorded"));
}

}  // namespace
}  // namespace overlap::test
