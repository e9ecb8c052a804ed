#include "core/cost/with_cost_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/checked_runs.h"
#include "core/cost/cost_differences.h"
#include "core/cost/cost_model.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

using test::GraphSketch;

NamedCostModel everything() {
    return read_cost_model_file(OVERLAP_TEST_DATA "/cost_models/everything.cost.json");
}

ProcessGroup group_of(const std::string& name, std::vector<int> ranks) {
    ProcessGroup group;
    group.name = name;
    group.ranks = std::move(ranks);
    return group;
}

std::vector<int> ranks_from(int first, int count, int step = 1) {
    std::vector<int> ranks;
    for (int rank = 0; rank < count; ++rank) ranks.push_back(first + rank * step);
    return ranks;
}

TEST(LinkOfGroup, NameBeforeSizeBeforeNodes) {
    const NamedCostModel model = everything();
    EXPECT_EQ(link_of(model, group_of("dp", ranks_from(0, 16)))->latency_ms, 0.5);
    EXPECT_EQ(link_of(model, group_of("x", ranks_from(0, 16)))->bytes_per_s, 2e9);
    const CostParameters::Link within = *link_of(model, group_of("x", ranks_from(4, 4)));
    EXPECT_DOUBLE_EQ(within.latency_ms, 0.013);
    EXPECT_EQ(within.bytes_per_s, 8e9);
    // Where no link between nodes is given, the one within a node stands for it.
    NamedCostModel one_node = model;
    one_node.between_nodes.reset();
    EXPECT_EQ(link_of(one_node, group_of("two nodes", ranks_from(0, 8)))->bytes_per_s, 8e9);
}

TEST(LinkOfGroup, AGroupDrivesTheInterfacesOfItsRanks) {
    const NamedCostModel model = everything();
    EXPECT_EQ(link_of(model, group_of("one a node", ranks_from(0, 8, 4)))->bytes_per_s, 3e9);
    EXPECT_EQ(link_of(model, group_of("two a node", ranks_from(0, 8, 2)))->bytes_per_s, 6e9);
    // Four interfaces would be 12e9, but the data has to cross the node as well.
    EXPECT_EQ(link_of(model, group_of("whole nodes", ranks_from(0, 8)))->bytes_per_s, 8e9);
    EXPECT_DOUBLE_EQ(link_of(model, group_of("whole nodes", ranks_from(0, 8)))->latency_ms, 0.034);
}

TEST(WithCompilation, StaysInTheDocumentAndWithAnotherModel) {
    const auto read = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const Compilation wanted{.scope = CompiledScope::blocks, .attention_density = 0.25};
    const auto compiled = with_compilation(read, wanted);
    EXPECT_EQ(read_graph_text(write_graph_text(*compiled), "written")->header().cost->compilation, wanted);
    EXPECT_EQ(with_cost_model(compiled, *built_in_cost_model("h100-sxm")).graph->header().cost->compilation, wanted);
    // Nothing else of the document's object is lost.
    EXPECT_EQ(nlohmann::json::parse(with_compilation(compiled, {})->header().cost->json),
              nlohmann::json::parse(read->header().cost->json));
}

TEST(NamedModelOf, KeepsWaysOfKindsAndSharedLinks) {
    const auto read = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
    const auto graph = with_cost_model(read, *built_in_cost_model("h100-sxm")).graph;
    ASSERT_FALSE(graph->header().cost->contention->shared_links.empty());
    const auto again = with_cost_model(graph, named_model_of(*graph->header().cost, "graph")).graph;
    EXPECT_EQ(node_times_ms(*again), node_times_ms(*graph));
    EXPECT_EQ(again->header().cost->contention->shared_links, graph->header().cost->contention->shared_links);
}

TEST(NamedModelOf, KeepsTheTwoEfficienciesOfAGraphsDevice) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    ASSERT_NE(graph->header().cost->flops_efficiency, graph->header().cost->memory_efficiency);
    const NamedCostModel own = named_model_of(*graph->header().cost, "graph");
    EXPECT_TRUE(own.classes.empty());
    EXPECT_EQ(node_times_ms(*with_cost_model(graph, own).graph), node_times_ms(*graph));
}

TEST(CheckedRuns, AreOfTheModelThatWasCompared) {
    const auto read = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const auto checked = [&](const NamedCostModel& model) {
        return checked_runs(*with_cost_model(read, model).graph->header().cost);
    };
    NamedCostModel model = *built_in_cost_model("h100-96gb-500w");
    ASSERT_TRUE(checked(model));
    EXPECT_TRUE(checked(model)->built_in);
    model.memory_bytes_per_s *= 2;
    EXPECT_FALSE(checked(model));  // its name is that of the built-in one
    model.name = "mine";
    model.origin.checked = "two runs of ours";
    model.origin.checked_within = 0.05;
    const std::optional<CheckedRuns> own = checked(model);
    ASSERT_TRUE(own);
    EXPECT_EQ(own->with, "two runs of ours");
    EXPECT_EQ(own->within, 0.05);
    EXPECT_FALSE(own->built_in);
    model.origin.checked_within = 0;
    EXPECT_EQ(checked(model)->within, 0);
    model.origin.checked.clear();
    EXPECT_FALSE(checked(model));
}

TEST(CheckedRuns, BuiltInModelsAreThoseWithAllTheirNumbers) {
    const auto read = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const CostParameters whole = *with_cost_model(read, *built_in_cost_model("h100-96gb-500w")).graph->header().cost;
    ASSERT_FALSE(whole.classes.empty());
    ASSERT_TRUE(built_in_cost_model(whole));
    CostParameters other = whole;
    other.flops_per_s["bfloat16"] *= 2;
    EXPECT_FALSE(built_in_cost_model(other));
    other = whole;
    other.classes.begin()->second.overhead_ms += 1;
    EXPECT_FALSE(built_in_cost_model(other));
    other = whole;
    other.classes.erase(other.classes.begin());
    EXPECT_FALSE(built_in_cost_model(other));
}

TEST(CheckedRuns, OtherMembersOfThatNameSayNothing) {
    const auto of_json = [](const std::string& json) {
        CostParameters cost;
        cost.json = json;
        return checked_runs(cost);
    };
    for (const std::string nothing : {"", "[]", "{", "{}", R"({"checked": "yes"})", R"({"checked": {"within": 0.1}})",
                                      R"({"checked": {"with": 3}})"}) {
        EXPECT_FALSE(of_json(nothing)) << nothing;
    }
    EXPECT_EQ(of_json(R"({"checked": {"with": "runs"}})")->within, 0);
    EXPECT_EQ(of_json(R"({"checked": {"with": "runs", "within": "little"}})")->within, 0);
    EXPECT_EQ(of_json(R"({"checked": {"with": "runs", "within": 0.2}})")->within, 0.2);
}

TEST(WithCompilation, NeedsACostModel) {
    const auto read = read_graph_file(OVERLAP_TEST_DATA "/published_runs/b_llama3_8b_fsdp128.prebucket.graph.json.gz");
    EXPECT_THROW(with_compilation(read, Compilation{}), InputError);
    EXPECT_EQ(with_compilation(read, {}), read);
}

TEST(WithCompilation, OfAModelWithoutADocumentMakesOne) {
    const auto graph = std::make_shared<const Graph>(GraphSketch().finish());
    ASSERT_TRUE(graph->header().cost->json.empty());
    EXPECT_EQ(with_compilation(graph, {}), graph);
    const auto compiled = with_compilation(graph, Compilation{});
    EXPECT_TRUE(nlohmann::json::parse(compiled->header().cost->json).contains("compiled"));
    EXPECT_EQ(with_compilation(compiled, Compilation{}), compiled);
}

TEST(WithCostModel, TimesAreOverheadAndWorkOverEfficiency) {
    GraphSketch sketch;
    const NodeId a = sketch.input("a", sketch.tensor("bfloat16", {1000, 1000}));
    const NodeId mm = sketch.call("mm", "aten.mm.default", GraphSketch::values({a, a}),
                                  {sketch.tensor("bfloat16", {1000, 1000})}, 123.0);
    const NodeId relu =
        sketch.call("relu", "aten.relu.default", GraphSketch::values({mm}), {sketch.tensor("bfloat16", {1000, 1000})});
    const NodeId gather = sketch.gather("gather", relu, 7);
    const auto graph = std::make_shared<const Graph>(sketch.finish({gather}));
    const ModelledGraph modelled = with_cost_model(graph, everything());
    const std::vector<double> times_ms = node_times_ms(*modelled.graph);
    // 2e9 flops take 2 ms at the full rate, 6e6 bytes 6 ms: the longer one, over 0.5, beside 0.25 ms.
    EXPECT_DOUBLE_EQ(times_ms[mm], 12.25);
    EXPECT_DOUBLE_EQ(times_ms[relu], 5.125);
    EXPECT_DOUBLE_EQ(times_ms[gather], 0.01 + 3 * 0.001 + 2e6 / 8e9 * 1e3);
    ASSERT_EQ(modelled.notes.size(), 1u);
    EXPECT_EQ(modelled.notes[0],
              "the cost model \"cluster A\" replaces the times that the graph has for 2 of its nodes and its own cost "
              "model");
}

TEST(WithCostModel, AClassThatIsNotListedRunsAtFullRates) {
    GraphSketch sketch;
    const NodeId a = sketch.input("a", sketch.tensor("bfloat16", {1000, 1000}));
    const NodeId relu =
        sketch.call("relu", "aten.relu.default", GraphSketch::values({a}), {sketch.tensor("bfloat16", {1000, 1000})});
    NamedCostModel model = everything();
    model.classes.clear();
    const auto graph = std::make_shared<const Graph>(sketch.finish({relu}));
    EXPECT_DOUBLE_EQ(analytic_time_ms(*with_cost_model(graph, model).graph, relu), 4);
}

TEST(WithCostModel, GroupsWithoutLinkAreTold) {
    GraphSketch sketch;
    const NodeId a = sketch.input("a", sketch.tensor("float32", {4}));
    const NodeId gather = sketch.gather("gather", a, 1, "elsewhere");
    const auto graph = std::make_shared<const Graph>(sketch.finish({gather}));
    NamedCostModel model = everything();
    EXPECT_EQ(with_cost_model(graph, model).notes.at(1),
              "ranks are not known of process groups that the graph does not list, so the link between nodes is taken "
              "for them: \"elsewhere\"");
    model.between_nodes.reset();
    model.within_node.reset();
    const ModelledGraph modelled = with_cost_model(graph, model);
    EXPECT_EQ(
        modelled.notes.at(1),
        "the cost model \"cluster A\" has no link for these process groups, so times of their collectives are not "
        "known: \"0\", \"elsewhere\"");
    EXPECT_THROW(node_times_ms(*modelled.graph), InputError);
}

TEST(WithCostModel, GroupsOfOneKindOfLinkShareIt) {
    GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    sketch.group("2", 8, 0.02, 1e9);
    const auto graph = std::make_shared<const Graph>(sketch.finish());
    const ModelledGraph modelled = with_cost_model(graph, everything());
    const auto& contention = modelled.graph->header().cost->contention;
    ASSERT_TRUE(contention);
    EXPECT_EQ(contention->shared_links, (std::vector<std::vector<std::string>>{{"0", "1"}, {"2"}}));
    EXPECT_EQ(contention->communication_slowdown, 0.1);
}

TEST(WithCostModel, TheGraphsDocumentTellsTheSame) {
    const auto graph = read_graph_file(OVERLAP_SHARED_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.graph.json.gz");
    for (const NamedCostModel& model : built_in_cost_models()) {
        const auto modelled = with_cost_model(graph, model).graph;
        const auto again = read_graph_text(write_graph_text(*modelled), "again");
        EXPECT_EQ(node_times_ms(*again), node_times_ms(*modelled));
        EXPECT_EQ(again->header().cost->model_name, model.name);
        EXPECT_EQ(again->header().cost->contention->shared_links, modelled->header().cost->contention->shared_links);
    }
}

TEST(WithCostModel, UnknownClassesOfAGraphAreRefused) {
    GraphSketch sketch;
    sketch.header().cost->classes["mystery"] = {1, 0};
    const Graph graph = sketch.finish();
    EXPECT_THROW(check_cost_model(graph), InputError);
    EXPECT_THROW(analytic_times_ms(graph), InputError);
}

TEST(BuiltInCostModels, HaveTheSameRateForBothHalfTypes) {
    for (const char* name : {"b200-sxm", "h200-sxm", "h100-sxm", "a100-sxm"}) {
        const auto rates = built_in_cost_model(name)->flops_per_s;
        EXPECT_EQ(rates.at("float16"), rates.at("bfloat16")) << name;
        EXPECT_GT(rates.at("bfloat16"), rates.at("float32")) << name;
    }
}

TEST(CostModelOfAGraph, NamesItsDeviceAndItsFactorsThatAreNotKnown) {
    NamedCostModel model = *built_in_cost_model("h100-sxm");
    model.device_name = "some device";
    GraphSketch sketch;
    const auto graph = with_cost_model(std::make_shared<const Graph>(sketch.finish()), model).graph;
    EXPECT_EQ(graph->header().cost->device_name, "some device");
    NamedCostModel::Contention contention{{{"memory", 0.1}, {"attention", 0.2}}, {}, false};
    EXPECT_EQ(unknown_factors(contention),
              (std::vector<std::string>{"by how much communication slows matrix_multiply down",
                                        "by how much communication slows convolution down",
                                        "by how much compute slows communication down"}));
    contention.communication_slowdown = 0.0;
    EXPECT_EQ(unknown_factors(contention).size(), 2u);
}

TEST(BuiltInCostModels, FasterDevicesAreFaster) {
    const auto graph = read_graph_file(OVERLAP_SHARED_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz");
    const auto sum_ms = [&](const char* name) {
        double sum = 0;
        for (const double time : node_times_ms(*with_cost_model(graph, *built_in_cost_model(name)).graph)) sum += time;
        return sum;
    };
    EXPECT_LT(sum_ms("b200-sxm"), sum_ms("h200-sxm"));
    EXPECT_LT(sum_ms("h200-sxm"), sum_ms("h100-sxm"));
    EXPECT_LT(sum_ms("h100-sxm"), sum_ms("a100-sxm"));
}

TEST(CostDifferences, SayWhyTwoModelsOfOneDeviceDiffer) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const CostParameters& own = *graph->header().cost;
    EXPECT_TRUE(cost_differences(own, own).empty());
    CostParameters other = own;
    for (CostParameters::Link& link : other.links) link.bytes_per_s *= 4;
    other.memory_bytes_per_s *= 1.5;
    const std::vector<std::string> clauses = cost_differences(own, other);
    ASSERT_EQ(clauses.size(), 2U);  // products run alike
    EXPECT_TRUE(clauses[0].starts_with("an all-gather of 64 MiB on group \"0\" takes ")) << clauses[0];
    EXPECT_TRUE(clauses[1].starts_with("memory moves ")) << clauses[1];
    const auto built_in = with_cost_model(graph, *built_in_cost_model("h100-sxm")).graph;
    EXPECT_FALSE(cost_differences(own, *built_in->header().cost).empty());
    other.links.clear();  // what only one has is no difference
    other.memory_bytes_per_s = own.memory_bytes_per_s;
    EXPECT_TRUE(cost_differences(own, other).empty());
    other.flops_per_s.erase("bfloat16");  // so is a rate that only one has, and a speed that is not known
    other.memory_bytes_per_s = 0;
    EXPECT_TRUE(cost_differences(own, other).empty());
    EXPECT_TRUE(cost_differences(other, own).empty());
}

}  // namespace
}  // namespace overlap
