#include "core/simulate/contention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "core/base/error.h"
#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

Contention slowdown_of_products(double slowdown) {
    Contention contention;
    contention.compute_slowdown[static_cast<std::size_t>(ComputeClass::matrix_multiply)] = slowdown;
    return contention;
}

/// A graph of compute, collectives on three groups and waits, in a random order that can run.
Graph random_graph(std::mt19937& random, bool latency) {
    GraphSketch sketch;
    const std::vector<std::string> groups{"0", "1", "2"};
    sketch.group("1", 4, latency ? 0.3 : 0, 1e9);
    sketch.group("2", 4, 0, 1e9);
    const auto time = [&] { return std::uniform_int_distribution<int>(0, 8)(random) / 4.0; };
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    std::vector<NodeId> in_flight;
    for (int index = 0; index < 60; ++index) {
        std::string name = "n";
        name.append(std::to_string(index));
        switch (std::uniform_int_distribution<int>(0, 2)(random)) {
            case 0:
                sketch.compute(name, {x}, time());
                break;
            case 1:
                in_flight.push_back(sketch.gather(name, x, time(), groups[random() % groups.size()]));
                break;
            default:
                if (in_flight.empty()) break;
                sketch.wait(name, in_flight[random() % in_flight.size()]);
        }
    }
    return sketch.finish();
}

Contention random_contention(std::mt19937& random) {
    std::uniform_real_distribution<double> factor(0, 1.5);
    Contention contention;
    for (double& slowdown : contention.compute_slowdown) slowdown = factor(random);
    contention.communication_slowdown = factor(random);
    if (random() % 2 == 0) contention.shared_links = {{"0", "2"}};
    return contention;
}

TEST(Contention, WithoutAnyItIsTheStreamModel) {
    std::mt19937 random(7);
    for (int run = 0; run < 200; ++run) {
        const Graph graph = random_graph(random, run % 2 == 0);
        const std::vector<double> times_ms = node_times_ms(graph);
        SimulationOptions options;
        options.launch_us = run % 3 == 0 ? 700.0 : 0.0;
        const Simulation expected = simulate(graph, times_ms, options);
        const Simulation found = simulate_with_contention(graph, times_ms, {}, options).simulation;
        ASSERT_NEAR(found.step_ms, expected.step_ms, 1e-9);
        ASSERT_NEAR(found.exposed_ms, expected.exposed_ms, 1e-9);
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            ASSERT_NEAR(found.nodes[node].start_ms, expected.nodes[node].start_ms, 1e-9) << graph.name(node);
            ASSERT_NEAR(found.nodes[node].end_ms, expected.nodes[node].end_ms, 1e-9) << graph.name(node);
        }
        for (std::size_t index = 0; index < expected.collectives.size(); ++index) {
            ASSERT_EQ(found.collectives[index].wait, expected.collectives[index].wait);
            ASSERT_EQ(found.collectives[index].cause, expected.collectives[index].cause);
        }
    }
}

TEST(Contention, NothingEndsEarlierThanWithoutIt) {
    std::mt19937 random(11);
    for (int run = 0; run < 200; ++run) {
        const Graph graph = random_graph(random, true);
        const std::vector<double> times_ms = node_times_ms(graph);
        const Simulation alone = simulate(graph, times_ms);
        const ContendedSimulation contended = simulate_with_contention(graph, times_ms, random_contention(random));
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            ASSERT_GE(contended.simulation.nodes[node].end_ms, alone.nodes[node].end_ms - 1e-9) << graph.name(node);
        }
        ASSERT_GE(contended.simulation.step_ms, alone.step_ms - 1e-9);
    }
}

TEST(Contention, EveryTransferMovesAllOfItsBytesAndNoLinkMoreThanItCan) {
    std::mt19937 random(13);
    for (int run = 0; run < 100; ++run) {
        const Graph graph = random_graph(random, false);
        const std::vector<double> times_ms = node_times_ms(graph);
        Contention contention = random_contention(random);
        contention.shared_links = {{"0", "2"}};
        const ContendedSimulation contended = simulate_with_contention(graph, times_ms, contention);
        std::map<std::uint32_t, double> moved_ms;
        for (const TransferSegment& segment : contended.transfers) {
            moved_ms[segment.collective] += (segment.end_ms - segment.start_ms) * segment.rate;
            double on_link = 0;
            const double middle_ms = (segment.start_ms + segment.end_ms) / 2;
            for (const TransferSegment& other : contended.transfers) {
                const auto link = [&](const TransferSegment& of) {
                    return contended.simulation.collectives[of.collective].group;
                };
                const auto& groups = contended.simulation.groups;
                const bool shared =
                    groups[link(other)].process_group != "1" && groups[link(segment)].process_group != "1";
                const bool same = link(other) == link(segment) || shared;
                if (same && other.start_ms <= middle_ms && middle_ms < other.end_ms) on_link += other.rate;
            }
            ASSERT_LE(on_link, 1 + 1e-9);
        }
        const Simulation& simulation = contended.simulation;
        for (std::uint32_t index = 0; index < simulation.collectives.size(); ++index) {
            const CollectiveTiming& collective = simulation.collectives[index];
            const double latency_ms = simulation.groups[collective.group].process_group == "0" ? 0.02 : 0;
            const double work_ms = std::max(times_ms[collective.start] - latency_ms, 0.0);
            ASSERT_NEAR(moved_ms[index], work_ms, 1e-9) << graph.name(collective.start);
        }
    }
}

TEST(Contention, ComputeBesideATransferTakesLongerByItsClass) {
    GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered = sketch.gather("gather", x, 3, "1");
    const NodeId product = sketch.compute("product", {x}, 4);
    const NodeId waited = sketch.wait("wait", gathered);
    const Graph graph = sketch.finish({product, waited});
    const std::vector<double> times_ms = node_times_ms(graph);
    // For 3 ms the product runs at 1 / 1.5 and gets 2 ms of its work done; the other 2 ms are undisturbed.
    const ContendedSimulation contended = simulate_with_contention(graph, times_ms, slowdown_of_products(0.5));
    EXPECT_DOUBLE_EQ(contended.simulation.nodes[gathered].end_ms, 3);
    EXPECT_DOUBLE_EQ(contended.simulation.nodes[product].end_ms, 5);
    EXPECT_DOUBLE_EQ(contended.times_ms[product], 5);
    EXPECT_DOUBLE_EQ(contended.simulation.compute_ms, 5);
    EXPECT_DOUBLE_EQ(contended.simulation.exposed_ms, 0);
}

TEST(Contention, CopyEnginesSlowProductsByHalfAndWhatIsBoundByMemoryAsMuch) {
    const auto end_of = [](std::string_view gather_operator, std::string_view compute_operator) {
        GraphSketch sketch;
        sketch.group("1", 4, 0, 1e9);
        const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
        const NodeId gathered = sketch.call("gather", gather_operator, {Value::of_node(x), sketch.text("1")},
                                            {sketch.tensor("float32", {16})}, 6);
        const NodeId computed = sketch.call("computed", compute_operator, GraphSketch::values({x, x}),
                                            {sketch.tensor("float32", {2, 2})}, 4);
        const Graph graph = sketch.finish({computed, sketch.wait("wait", gathered)});
        Contention contention = slowdown_of_products(0.5);
        contention.compute_slowdown[static_cast<std::size_t>(ComputeClass::memory)] = 0.25;
        const ContendedSimulation found = simulate_with_contention(graph, node_times_ms(graph), contention);
        EXPECT_DOUBLE_EQ(found.simulation.nodes[gathered].end_ms, 6);
        return found.simulation.nodes[computed].end_ms;
    };
    static_assert(copy_engine_share == 0.5);
    for (const std::string_view gather :
         {"symm_mem._low_contention_all_gather.default", "symm_mem._low_contention_all_gather_ce_multicast.default"}) {
        EXPECT_DOUBLE_EQ(end_of(gather, "aten.mm.default"), 4 * (1 + 0.5 * 0.5));
        EXPECT_DOUBLE_EQ(end_of(gather, "aten.add.Tensor"), 4 * (1 + 0.25));
    }
}

TEST(Contention, TransfersBesideComputeTakeLonger) {
    GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered = sketch.gather("gather", x, 3, "1");
    const NodeId product = sketch.compute("product", {x}, 2);
    const NodeId waited = sketch.wait("wait", gathered);
    const Graph graph = sketch.finish({product, waited});
    Contention contention;
    contention.communication_slowdown = 1;
    // Half the rate for 2 ms, then alone: 1 + 2 ms of work.
    const Simulation simulation = simulate_with_contention(graph, node_times_ms(graph), contention).simulation;
    EXPECT_DOUBLE_EQ(simulation.nodes[gathered].end_ms, 4);
    EXPECT_DOUBLE_EQ(simulation.exposed_ms, 2);
}

TEST(Contention, TimesAreHowLongEachNodeTook) {
    GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = sketch.cast("first", x, 1);
    const NodeId gathered = sketch.gather("gather", x, 3, "1");
    const NodeId product = sketch.compute("product", {x}, 2);
    const NodeId waited = sketch.wait("wait", gathered);
    const Graph graph = sketch.finish({first, product, waited});
    Contention contention = slowdown_of_products(0.5);
    contention.communication_slowdown = 1;
    // Half the rate for the transfer and 1 / 1.25 for the product until that has ended; then 1.75 ms of work are left.
    const ContendedSimulation found = simulate_with_contention(graph, node_times_ms(graph), contention);
    EXPECT_DOUBLE_EQ(found.times_ms[first], 1);
    EXPECT_DOUBLE_EQ(found.times_ms[product], 2.5);
    EXPECT_DOUBLE_EQ(found.times_ms[gathered], 2.5 + 1.75);
    EXPECT_DOUBLE_EQ(found.times_ms[waited], 0);
    EXPECT_DOUBLE_EQ(found.simulation.groups[0].comm_ms, 2.5 + 1.75);
}

TEST(Contention, GroupsOnOneLinkShareItOnlyWhileBothTransfer) {
    GraphSketch sketch;
    sketch.group("1", 4, 0, 1e9);
    sketch.group("2", 4, 1, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = sketch.gather("first", x, 3, "1");
    const NodeId second = sketch.gather("second", x, 3, "2");
    const Graph graph = sketch.finish({first, second});
    const std::vector<double> times_ms = node_times_ms(graph);
    Contention contention;
    contention.shared_links = {{"1", "2"}};
    // The second has 1 ms of latency, in which the first is alone; then 2 ms of work each at half the rate.
    const Simulation simulation = simulate_with_contention(graph, times_ms, contention).simulation;
    EXPECT_DOUBLE_EQ(simulation.nodes[first].end_ms, 5);
    EXPECT_DOUBLE_EQ(simulation.nodes[second].end_ms, 5);
    EXPECT_DOUBLE_EQ(simulate_with_contention(graph, times_ms, {}).simulation.step_ms, 3);
}

TEST(Contention, FactorsThatMakeNoSenseAreRefused) {
    GraphSketch sketch;
    const Graph graph = sketch.finish();
    EXPECT_THROW(simulate_with_contention(graph, {}, slowdown_of_products(-0.1)), InputError);
    EXPECT_THROW(simulate_with_contention(graph, {}, slowdown_of_products(std::nan(""))), InputError);
    Contention twice;
    twice.shared_links = {{"0"}, {"0"}};
    EXPECT_THROW(simulate_with_contention(graph, {}, twice), InputError);
}

TEST(Contention, ThereIsNoneWithoutFactorsAndSharedLinks) {
    EXPECT_TRUE(Contention().none());
    EXPECT_FALSE(slowdown_of_products(0.5).none());
    Contention communication;
    communication.communication_slowdown = 0.5;
    EXPECT_FALSE(communication.none());
    Contention shared;
    shared.shared_links = {{"0"}};
    EXPECT_TRUE(shared.none()) << "a group has its link to itself";
    shared.shared_links = {{"0", "1"}};
    EXPECT_FALSE(shared.none());
}

TEST(Contention, FactorsAreThoseOfTheGraphsCostModel) {
    GraphSketch sketch;
    CostParameters::Contention factors;
    factors.compute_slowdown = {{"memory", 0.25}};
    factors.communication_slowdown = 0.5;
    factors.shared_links = {{"0", "1"}};
    sketch.header().cost->contention = factors;
    const Contention found = contention_of(sketch.finish());
    EXPECT_EQ(found.slowdown_of(ComputeClass::memory), 0.25);
    EXPECT_EQ(found.slowdown_of(ComputeClass::matrix_multiply), 0);
    EXPECT_EQ(found.communication_slowdown, 0.5);
    EXPECT_EQ(found.shared_links, factors.shared_links);
}

TEST(Contention, FactorsThatAreMissingOrOfAnUnknownClassAreToldWithTheirPlace) {
    const auto message = [](std::optional<CostParameters> cost) -> std::string {
        GraphSketch sketch;
        sketch.header().cost = cost;
        try {
            contention_of(sketch.finish());
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message({}).find("cost_model: the graph has none"), std::string::npos) << message({});
    EXPECT_NE(message(CostParameters()).find("cost_model: it has no factors of contention"), std::string::npos);
    CostParameters unknown;
    unknown.contention = CostParameters::Contention{{{"memry", 0.25}}, 0, {}};
    EXPECT_NE(message(unknown).find("compute_slowdown: there is no class of compute \"memry\""), std::string::npos)
        << message(unknown);
    EXPECT_NE(message(unknown).find("memory"), std::string::npos);
}

TEST(Contention, AStoppedSimulationReturns) {
    GraphSketch sketch;
    sketch.compute("mm", {sketch.input("x", sketch.bytes(16))}, 4);
    const Graph graph = sketch.finish();
    std::stop_source stop;
    stop.request_stop();
    const ContendedSimulation found = simulate_with_contention(graph, node_times_ms(graph), {}, {}, stop.get_token());
    EXPECT_EQ(found.simulation.step_ms, 0);
}

TEST(Contention, ARealGraphTakesLongerAndKeepsItsOrder) {
    const auto graph =
        read_graph_file(OVERLAP_TEST_DATA "/../../resources/samples/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const std::vector<double> times_ms = node_times_ms(*graph);
    const Simulation alone = simulate(*graph, times_ms);
    const Simulation same = simulate_with_contention(*graph, times_ms, {}).simulation;
    EXPECT_NEAR(same.step_ms, alone.step_ms, 1e-9);
    EXPECT_NEAR(same.exposed_ms, alone.exposed_ms, 1e-9);
}

}  // namespace
}  // namespace overlap::test
