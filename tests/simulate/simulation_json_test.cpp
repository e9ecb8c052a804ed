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
    const nlohmann::json json = nlohmann::json::parse(simulation_json(graph, simulation, memory_profile(graph)));
    EXPECT_EQ(json.at("step_ms"), 4.25);
    EXPECT_EQ(json.at("compute_ms"), 0);
    EXPECT_EQ(json.at("exposed_ms"), 4);
    EXPECT_EQ(json.at("peak_memory_bytes"), 16 + 2 * 64);
    EXPECT_EQ(json.at("torch_peak_memory_bytes"), 16 + 2 * 64);
    EXPECT_EQ(json.at("shared_links"), nlohmann::json::array());
    EXPECT_EQ(json.at("transfer_exposed_ms"), 0);
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
}

}  // namespace
}  // namespace overlap::test
