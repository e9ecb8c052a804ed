#include "core/simulate/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/cost/cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

class ChromeTrace : public ::testing::Test {
  protected:
    void SetUp() override {
        sketch.header().process_groups[0].description = "fsdp";
        const NodeId x = sketch.input("x", sketch.bytes(16));
        const NodeId gather = sketch.gather("gather", x, 4);
        const NodeId mm = sketch.compute("mm", {x}, 1);
        const NodeId item = sketch.item("item", mm, 0);
        const NodeId waited = sketch.wait("waited", gather);
        const Graph graph = sketch.finish({waited, item});
        const Simulation simulation = simulate(graph, node_times_ms(graph));
        trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph)));
    }

    std::vector<nlohmann::json> events(std::string_view phase) const {
        std::vector<nlohmann::json> found;
        for (const nlohmann::json& event : trace.at("traceEvents")) {
            if (event.at("ph") == phase) found.push_back(event);
        }
        return found;
    }

    GraphSketch sketch;
    nlohmann::json trace;
};

TEST_F(ChromeTrace, AMeasuredOneSaysWhichRankAndOperatorItIsOf) {
    GraphSketch measured;
    const NodeId x = measured.input("x", measured.tensor("float32", {4}));
    const NodeId mm = measured.compute("mm", {x}, 1);
    const NodeId gather = measured.gather("gather", mm, 4);
    const Graph graph = measured.finish({measured.wait("waited", gather)});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    const TracedRank rank{1, 2, graph.header().process_groups, {"0"}};
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph), nullptr, &rank));
    EXPECT_EQ(trace.at("distributedInfo"), (nlohmann::json{{"rank", 1}, {"world_size", 2}}));
    const nlohmann::json kernel = events("X")[0].at("args"), collective = events("X")[1].at("args");
    EXPECT_EQ(kernel.at("Input Dims"), nlohmann::json::parse("[[4]]"));
    EXPECT_EQ(kernel.at("Output type"), "float32");
    EXPECT_EQ(collective.at("dtype"), "Float");
    EXPECT_EQ(collective.at("Out msg nelems"), 16);
    EXPECT_EQ(collective.at("In msg nelems"), 4);
    EXPECT_EQ(collective.at("Process Group Name"), "0 of rank 1");
    EXPECT_FALSE(collective.contains("Process Group Ranks"));
}

TEST_F(ChromeTrace, AMeasuredKernelOfSeveralNodesNamesThem) {
    GraphSketch measured;
    const NodeId x = measured.input("x", measured.tensor("float32", {4}));
    const NodeId first = measured.compute("first", {x}, 1);
    const NodeId second = measured.compute("second", {x}, 1);
    const Graph graph = measured.finish({first, second});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    const TracedRank rank{0, 1, {}, {}, {{second, {first, second}}}};
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph), nullptr, &rank));
    EXPECT_TRUE(events("X")[0].at("args").contains("operator"));
    const nlohmann::json kernel = events("X")[1].at("args");
    EXPECT_EQ(kernel.at("nodes"), (nlohmann::json{"first", "second"}));
    EXPECT_FALSE(kernel.contains("operator")) << "a profile would take it for the operator's time";
}

TEST_F(ChromeTrace, LanesAreNamed) {
    std::vector<std::string> lanes;
    for (const nlohmann::json& event : events("M")) {
        if (event.at("name") == "thread_name") lanes.push_back(event.at("args").at("name"));
        if (event.at("name") == "process_name") {
            EXPECT_EQ(event.at("args").at("name"), "sketch");
        }
    }
    EXPECT_EQ(lanes, (std::vector<std::string>{"compute", "process group 0 (fsdp)"}));
}

TEST_F(ChromeTrace, EventsLieOnTheirLanesInMicroseconds) {
    const std::vector<nlohmann::json> complete = events("X");
    ASSERT_EQ(complete.size(), 3u);  // the getitem takes no time
    EXPECT_EQ(complete[0].at("name"), "gather");
    EXPECT_EQ(complete[0].at("tid"), 1);
    EXPECT_EQ(complete[0].at("ts"), 0);
    EXPECT_EQ(complete[0].at("dur"), 4000);
    EXPECT_EQ(complete[0].at("args").at("bytes"), 64);
    EXPECT_EQ(complete[0].at("args").at("exposed_ms"), 3);
    EXPECT_EQ(complete[0].at("args").at("cause"), "window_too_short");
    EXPECT_EQ(complete[0].at("args").at("wait"), "waited");
    EXPECT_EQ(complete[1].at("name"), "mm");
    EXPECT_EQ(complete[1].at("tid"), 0);
    EXPECT_EQ(complete[1].at("args").at("target"), "aten.mm.default");
    EXPECT_EQ(complete[2].at("name"), "wait: gather");
    EXPECT_EQ(complete[2].at("ts"), 1000);
    EXPECT_EQ(complete[2].at("dur"), 3000);
}

TEST_F(ChromeTrace, AnArrowLeadsFromTheCollectiveToItsWait) {
    ASSERT_EQ(events("s").size(), 1u);
    ASSERT_EQ(events("f").size(), 1u);
    EXPECT_EQ(events("s")[0].at("id"), events("f")[0].at("id"));
    EXPECT_EQ(events("s")[0].at("tid"), 1);
    EXPECT_EQ(events("f")[0].at("tid"), 0);
}

TEST_F(ChromeTrace, MemoryIsACounterTrack) {
    const std::vector<nlohmann::json> points = events("C");
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.front().at("args").at("bytes"), 16);
    double last = 0;
    for (const nlohmann::json& point : points) {
        EXPECT_GE(point.at("ts").get<double>(), last);
        last = point.at("ts");
    }
}

}  // namespace
}  // namespace overlap::test
