#include "core/simulate/simulation_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

TEST(SimulationJson, HoldsEveryFigure) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(16));
    const NodeId gather = sketch.gather("gather", x, 4);
    const NodeId waited = sketch.wait("waited", gather);
    sketch.gather("unawaited", x, 0.25);
    const Graph graph = sketch.finish({waited});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    const nlohmann::json json =
        nlohmann::json::parse(simulation_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    EXPECT_EQ(json.at("step_ms"), 4.25);
    EXPECT_EQ(json.at("compute_ms"), 0);
    EXPECT_EQ(json.at("exposed_ms"), 4);
    EXPECT_EQ(json.at("peak_memory_bytes"), 16 + 2 * 64);
    EXPECT_EQ(json.at("torch_peak_memory_bytes"), 16 + 2 * 64);
    EXPECT_EQ(json.at("shared_links"), nlohmann::json::array());
    EXPECT_EQ(json.at("transfer_exposed_ms"), 0);
    EXPECT_TRUE(json.at("cost_model").is_null()) << "it has no name";
    EXPECT_EQ(json.at("transfers"), nlohmann::json::array());
    EXPECT_EQ(json.at("peak").at("by_kind").at("sharded_parameters"), 16);
    EXPECT_EQ(json.at("peak").at("by_kind").at("gathered_parameters"), 2 * 64);
    ASSERT_EQ(json.at("peak").at("modules").size(), 1u);
    EXPECT_EQ(json.at("peak").at("modules")[0].at("bytes"), 16 + 2 * 64);
    ASSERT_EQ(json.at("groups").size(), 1u);
    EXPECT_EQ(json.at("groups")[0],
              nlohmann::json({{"process_group", "0"}, {"comm_ms", 4.25}, {"exposed_ms", 4.0}, {"collectives", 2}}));
    ASSERT_EQ(json.at("collectives").size(), 2u);
    nlohmann::json first = json.at("collectives")[0];
    EXPECT_TRUE(first.at("explanation").get<std::string>().starts_with("waits 4 ms: "));
    first.erase("explanation");
    EXPECT_EQ(first.at("could_hide_ms"), 0) << "nothing is computed meanwhile";
    first.erase("could_hide_ms");
    EXPECT_EQ(first, nlohmann::json({{"name", "gather"},
                                     {"wait", "waited"},
                                     {"kind", "all_gather"},
                                     {"process_group", "0"},
                                     {"bytes", 64},
                                     {"start_ms", 0.0},
                                     {"end_ms", 4.0},
                                     {"exposed_ms", 4.0},
                                     {"cause", "producer_late"},
                                     {"blocker", nullptr}}));
    EXPECT_TRUE(json.at("collectives")[1].at("wait").is_null());
    EXPECT_EQ(json.at("collectives")[1].at("cause"), "none");
    EXPECT_FALSE(json.at("collectives")[1].contains("explanation"));
    EXPECT_FALSE(json.at("collectives")[1].contains("could_hide_ms"));
}

TEST(SimulationJson, SaysHowMuchOfWhatIsExposedCouldHide) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(16));
    const NodeId busy = sketch.compute("busy", {x}, 3);
    const NodeId waited = sketch.wait("waited", sketch.gather("gather", x, 4));
    const Graph graph = sketch.finish({busy, waited});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    const nlohmann::json json =
        nlohmann::json::parse(simulation_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    EXPECT_EQ(json.at("collectives")[0].at("exposed_ms"), 4);
    EXPECT_EQ(json.at("collectives")[0].at("could_hide_ms"), 3) << "behind busy";
}

TEST(SimulationJson, SaysWhatSlowedItWhatDoesNotFitAndWhatIsCopied) {
    GraphSketch sketch;
    CostParameters& cost = *sketch.header().cost;
    cost.host_link_bytes_per_s = 1e9;
    cost.memory_bytes = 100;
    cost.model_name = "model A";
    const NodeId x = sketch.input("x", sketch.bytes(2'000'000));
    const TensorMeta host = sketch.bytes(2'000'000, {}, "cpu");
    const NodeId out = sketch.call("out", "ao.offload.default", GraphSketch::values({x}), {host});
    sketch.call("lost", "ao.offload.default", GraphSketch::values({x}), {host});
    const NodeId there = sketch.call("there", "ao.wait_tensor.default", GraphSketch::values({out}), {host});
    const NodeId mm = sketch.compute("mm", {x}, 1);
    const Graph graph = sketch.finish({there, mm});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    AppliedContention applied;
    applied.factors.compute_slowdown[static_cast<std::size_t>(ComputeClass::memory)] = 0.25;
    applied.factors.communication_slowdown = 0.5;
    applied.factors.shared_links = {{"0", "1"}, {"2"}};
    SimulationContext context;
    context.contention = &applied;
    context.beside_ms = 7;
    context.accumulated = AccumulatedStep{4, 40};
    const std::vector<std::vector<std::string>> shared{{"0", "1"}};
    context.shared_links = shared;
    const MemoryProfile memory = memory_profile(graph, StorageRule::corrected);
    const nlohmann::json json = nlohmann::json::parse(simulation_json(graph, simulation, memory, context));
    EXPECT_EQ(json.at("contention"), nlohmann::json::parse(R"({
        "compute_slowdown": {"matrix_multiply": 0, "attention": 0, "convolution": 0, "memory": 0.25},
        "communication_slowdown": 0.5, "shared_links": [["0", "1"], ["2"]]})"));
    EXPECT_EQ(json.at("shared_links"), nlohmann::json::parse(R"([["0", "1"]])"));
    EXPECT_EQ(json.at("beside_ms"), 7);
    EXPECT_EQ(json.at("accumulated"), nlohmann::json::parse(R"({"microbatches": 4, "ms": 40})"));
    EXPECT_EQ(json.at("cost_model"), "model A");
    EXPECT_EQ(json.at("compute_ms"), 1);
    EXPECT_EQ(json.at("step_ms"), 4);
    EXPECT_EQ(json.at("idle_ms"), 1) << "while a copy runs that nothing awaits";
    EXPECT_EQ(json.at("transfer_exposed_ms"), 2);
    EXPECT_EQ(json.at("peak").at("node"), "mm");
    EXPECT_EQ(json.at("device_memory_bytes"), 100);
    ASSERT_EQ(json.at("problems").size(), 1u);
    const nlohmann::json& problem = json.at("problems")[0];
    EXPECT_EQ(problem.at("severity"), "caution");
    EXPECT_EQ(problem.at("kind"), "beyond_device_memory");
    EXPECT_EQ(problem.at("nodes"), nlohmann::json::parse(R"(["mm"])"));
    EXPECT_TRUE(problem.at("message").get<std::string>().starts_with("the peak memory of the step is "));
    EXPECT_EQ(json.at("transfers"), nlohmann::json::parse(R"([
        {"name": "out", "wait": "there", "to_host": true, "bytes": 2000000, "start_ms": 0, "end_ms": 2, "exposed_ms": 2},
        {"name": "lost", "wait": null, "to_host": true, "bytes": 2000000, "start_ms": 2, "end_ms": 4,
         "exposed_ms": 0}])"));
}

TEST(SimulationJson, WhatIsNotKnownIsNull) {
    GraphSketch sketch;
    sketch.header().cost.reset();
    sketch.input("x", sketch.bytes(16));
    const Graph graph = sketch.finish();
    const Simulation simulation = simulate(graph, std::vector<double>(graph.node_count()));
    const nlohmann::json json =
        nlohmann::json::parse(simulation_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    for (const char* name : {"contention", "beside_ms", "accumulated", "cost_model", "device_memory_bytes"})
        EXPECT_TRUE(json.at(name).is_null()) << name;
    EXPECT_TRUE(json.at("peak").at("node").is_null());
    EXPECT_EQ(json.at("problems"), nlohmann::json::array());
}

}  // namespace
}  // namespace overlap::test
