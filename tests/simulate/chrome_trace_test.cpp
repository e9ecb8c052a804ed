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
        trace =
            nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    }

    std::vector<nlohmann::json> events(std::string_view phase) const {
        std::vector<nlohmann::json> found;
        for (const nlohmann::json& event : trace.at("traceEvents")) {
            if (event.at("ph") == phase) found.push_back(event);
        }
        return found;
    }
    nlohmann::json called(std::string_view name, std::string_view phase) const {
        for (const nlohmann::json& event : events(phase)) {
            if (event.at("name") == name) return event;
        }
        ADD_FAILURE() << "no event is called " << name;
        return {};
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
    trace = nlohmann::json::parse(
        chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected), nullptr, &rank));
    EXPECT_EQ(trace.at("otherData").at("times"), "measured");
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
    trace = nlohmann::json::parse(
        chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected), nullptr, &rank));
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
    nlohmann::json held;
    for (const nlohmann::json& point : points) {
        EXPECT_EQ(point.at("name"), "memory");
        EXPECT_GE(point.at("ts").get<double>(), last);
        last = point.at("ts");
        EXPECT_NE(point.at("args").at("bytes"), held) << "points are where the amount changes";
        held = point.at("args").at("bytes");
    }
    EXPECT_EQ(last, 1000) << "the product goes, which nothing uses; the wait returns what the gather holds";
}

TEST_F(ChromeTrace, MemoryHasAPointOnlyWhereItChanges) {
    GraphSketch viewed;
    const NodeId x = viewed.input("x", viewed.bytes(16));
    const NodeId made = viewed.call("made", "aten.relu.default", GraphSketch::values({x}), {viewed.bytes(8, 7)}, 1);
    const NodeId view = viewed.call("view", "aten.view.default", GraphSketch::values({made}), {viewed.bytes(8, 7)});
    const Graph graph = viewed.finish({view});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    std::vector<std::int64_t> held;
    for (const nlohmann::json& point : events("C")) held.push_back(point.at("args").at("bytes"));
    EXPECT_EQ(held, (std::vector<std::int64_t>{16, 24}));
}

TEST_F(ChromeTrace, NothingIsShownOfAWaitThatDoesNotBlock) {
    GraphSketch hidden;
    const NodeId x = hidden.input("x", hidden.bytes(16));
    const NodeId gather = hidden.gather("gather", x, 1);
    hidden.compute("mm", {x}, 4);
    const Graph graph = hidden.finish({hidden.wait("waited", gather)});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    EXPECT_EQ(events("X").size(), 2u);
    EXPECT_TRUE(events("s").empty());
    EXPECT_TRUE(events("f").empty());
}

TEST_F(ChromeTrace, SaysWhatItIsOf) {
    EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
    EXPECT_EQ(trace.at("otherData"),
              nlohmann::json::parse(R"({"graph": "sketch", "step_ms": 4, "exposed_ms": 3, "contention": "none",
                                       "times": "simulated"})"));
    EXPECT_FALSE(trace.contains("distributedInfo"));
}

TEST_F(ChromeTrace, TheRankIsToldWhereTheGraphHasOneAndTheNumberOfRanks) {
    const auto info = [](std::optional<std::int64_t> rank, std::optional<std::int64_t> ranks) {
        GraphSketch ranked;
        ranked.header().rank = rank;
        ranked.header().world_size = ranks;
        const Graph graph = ranked.finish();
        const Simulation simulation = simulate(graph, node_times_ms(graph));
        return nlohmann::json::parse(
                   chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)))
            .value("distributedInfo", nlohmann::json());
    };
    EXPECT_EQ(info(3, 8), (nlohmann::json{{"rank", 3}, {"world_size", 8}}));
    EXPECT_TRUE(info(3, {}).is_null());
    EXPECT_TRUE(info({}, 8).is_null());
}

TEST_F(ChromeTrace, ArgumentsAreThoseOfPyTorchsProfiler) {
    nlohmann::json gather = called("gather", "X").at("args");
    EXPECT_TRUE(gather.at("explanation").get<std::string>().starts_with("waits 3 ms: "));
    gather.erase("explanation");
    EXPECT_EQ(gather, nlohmann::json::parse(R"({
        "stream": 1, "Collective name": "all_gather", "dtype": "Byte", "In msg nelems": 64, "Out msg nelems": 64,
        "Process Group Name": "0", "Process Group Description": "fsdp", "Group size": 4,
        "Process Group Ranks": "[0, 1, 2, 3]", "kind": "all_gather", "process_group": "0", "bytes": 64,
        "exposed_ms": 3, "cause": "window_too_short", "wait": "waited"})"));
    EXPECT_EQ(called("mm", "X").at("args"), nlohmann::json::parse(R"({"stream": 0, "target": "aten.mm.default"})"));
    EXPECT_EQ(called("wait: gather", "X").at("args"), nlohmann::json::parse(R"({"stream": 0, "node": "waited"})"));
    EXPECT_EQ(called("wait: gather", "X").at("cat"), "cuda_sync");
    EXPECT_EQ(called("gather", "X").at("cat"), "kernel");
    EXPECT_EQ(events("f")[0], nlohmann::json::parse(R"({"ph": "f", "name": "awaits", "cat": "wait", "id": 0, "pid": 0,
                                                        "tid": 0, "ts": 1000, "bp": "e"})"));
}

/// A gather of 4 ranks that nothing awaits, of a group that the header does not know.
TEST_F(ChromeTrace, OfAnUnknownGroupOnlyTheNameIsTold) {
    GraphSketch unknown;
    unknown.gather("gather", unknown.input("x", unknown.bytes(16)), 4, "7");
    const Graph graph = unknown.finish();
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    EXPECT_EQ(called("gather", "X").at("args"), nlohmann::json::parse(R"({
        "stream": 1, "Collective name": "all_gather", "dtype": "Byte", "In msg nelems": 64, "Out msg nelems": 64,
        "Process Group Name": "7", "kind": "all_gather", "process_group": "7", "bytes": 64, "exposed_ms": 0,
        "cause": "none"})"));
}

TEST_F(ChromeTrace, CopiesHaveALaneBehindTheGroups) {
    GraphSketch copied;
    copied.header().cost->host_link_bytes_per_s = 1e9;
    const NodeId x = copied.input("x", copied.bytes(2'000'000));
    const NodeId waited = copied.wait("waited", copied.gather("gather", x, 1));
    const NodeId out =
        copied.call("out", "ao.offload.default", GraphSketch::values({x}), {copied.bytes(2'000'000, {}, "cpu")});
    const NodeId lost =
        copied.call("lost", "ao.offload.default", GraphSketch::values({x}), {copied.bytes(2'000'000, {}, "cpu")});
    const NodeId there = copied.call("there", "ao.wait_tensor.default", GraphSketch::values({out}),
                                     {copied.bytes(2'000'000, {}, "cpu")});
    const Graph graph = copied.finish({waited, there, lost});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    trace = nlohmann::json::parse(chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected)));
    const nlohmann::json event = called("out", "X");
    EXPECT_EQ(event.at("tid"), 2);
    EXPECT_EQ(event.at("cat"), "gpu_memcpy");
    EXPECT_EQ(event.at("dur"), 2000);
    EXPECT_EQ(event.at("args"),
              nlohmann::json::parse(R"({"stream": 2, "bytes": 2000000, "exposed_ms": 2, "wait": "there"})"));
    const nlohmann::json waiting = called("wait: out", "X");
    EXPECT_EQ(waiting.at("cat"), "cuda_sync") << "a kernel would be read as compute";
    EXPECT_EQ(waiting.at("tid"), 0);
    EXPECT_EQ(waiting.at("args"), nlohmann::json::parse(R"({"stream": 0, "node": "there"})"));
    ASSERT_EQ(events("s").size(), 2u);
    EXPECT_EQ(events("s")[0].at("tid"), 1);
    EXPECT_EQ(events("s")[1].at("tid"), 2);
    EXPECT_NE(events("s")[0].at("id"), events("s")[1].at("id"));
    EXPECT_EQ(called("lost", "X").at("args"),
              nlohmann::json::parse(R"({"stream": 2, "bytes": 2000000, "exposed_ms": 0})"));
    nlohmann::json names, order;
    for (const nlohmann::json& told : events("M")) {
        if (told.at("name") == "thread_name") names.push_back({told.at("tid"), told.at("args").at("name")});
        if (told.at("name") == "thread_sort_index") order.push_back({told.at("tid"), told.at("args").at("sort_index")});
    }
    EXPECT_EQ(names, nlohmann::json::parse(R"([[0, "compute"], [1, "process group 0"], [2, "host copies"]])"));
    EXPECT_EQ(order, nlohmann::json::parse("[[0, 0], [1, 1], [2, 2]]"));
}

TEST_F(ChromeTrace, RatesOfGroupsAreCounterTracks) {
    GraphSketch slowed;
    slowed.group("1", 4, 0, 1e9);
    const NodeId x = slowed.input("x", slowed.tensor("float32", {4}));
    const NodeId gather = slowed.gather("gather", x, 3, "1");
    slowed.compute("mm", {x}, 2);
    const Graph graph = slowed.finish({slowed.wait("waited", gather)});
    Contention factors;
    factors.communication_slowdown = 1;
    const ContendedSimulation found = simulate_with_contention(graph, node_times_ms(graph), factors);
    const AppliedContention applied{factors, found.transfers};
    trace = nlohmann::json::parse(
        chrome_trace_json(graph, found.simulation, memory_profile(graph, StorageRule::corrected), &applied));
    EXPECT_EQ(trace.at("otherData").at("contention"), "applied");
    nlohmann::json rates;
    for (const nlohmann::json& point : events("C")) {
        if (point.at("name") == "memory") continue;
        EXPECT_EQ(point.at("name"), "rate of process group 1");
        EXPECT_EQ(point.at("pid"), 0);
        rates.push_back({point.at("ts"), point.at("args").at("share")});
    }
    // Half the rate beside the product, then all of it.
    EXPECT_EQ(rates, nlohmann::json::parse("[[0, 0.5], [2000, 0], [2000, 1], [4000, 0]]"));
}

TEST_F(ChromeTrace, AMeasuredGatherSendsThePartOfEachRank) {
    GraphSketch measured;
    const NodeId x = measured.input("x", measured.tensor("float32", {4}));
    const NodeId y = measured.input("y", measured.tensor("bfloat16", {4}));
    const NodeId gather = measured.gather("gather", x, 4);
    const NodeId reduce = measured.call("reduce", "_c10d_functional.all_reduce.default",
                                        {Value::of_node(y), measured.text("sum"), measured.text("0")},
                                        {measured.tensor("bfloat16", {4})}, 1);
    const Graph graph = measured.finish({measured.wait("waited", gather), reduce});
    const Simulation simulation = simulate(graph, node_times_ms(graph));
    ProcessGroup ran = graph.header().process_groups[0];
    ran.ranks = {2, 5};
    const TracedRank rank{5, 8, {ran}, {}};
    trace = nlohmann::json::parse(
        chrome_trace_json(graph, simulation, memory_profile(graph, StorageRule::corrected), nullptr, &rank));
    const nlohmann::json of_gather = called("gather", "X").at("args"), of_reduce = called("reduce", "X").at("args");
    EXPECT_EQ(of_gather.at("Out msg nelems"), 16);
    EXPECT_EQ(of_gather.at("In msg nelems"), 8) << "of two ranks that ran, not of four that the graph has";
    EXPECT_EQ(of_gather.at("Process Group Ranks"), "[2, 5]");
    EXPECT_EQ(of_gather.at("Process Group Name"), "0");
    EXPECT_EQ(of_reduce.at("dtype"), "BFloat16");
    EXPECT_EQ(of_reduce.at("Out msg nelems"), 4);
    EXPECT_EQ(of_reduce.at("In msg nelems"), 4);
}

}  // namespace
}  // namespace overlap::test
