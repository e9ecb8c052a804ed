// Chains of collectives as torch's DTensor writes them, on small traced graphs and in real training steps.

#include "core/redistribution/redistribution_chains.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/redistribution/redistribution_graphs.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {

namespace {

using Role = RedistributionChain::Role;

/// The one parameter of a traced graph.
ParameterChains only_parameter(const Graph& graph) {
    GraphChains chains = redistribution_chains(graph, {});
    EXPECT_EQ(chains.parameters.size(), 1u);
    EXPECT_TRUE(chains.unmatched_gradients.empty());
    return chains.parameters.empty() ? ParameterChains{} : chains.parameters[0];
}

ParameterChains only_parameter(const std::string& name) {
    return only_parameter(*graph_of(redistribution_document(name)));
}

std::string obstacle_of(const Json& document) {
    return only_parameter(*graph_of(document)).obstacle;
}

struct Case {
    std::string name;
    Extents mesh;
    std::string storage;
    std::vector<std::string> paths;
    Extents shape;
};

const ParameterChains* find_parameter(const GraphChains& chains, const std::string& name) {
    const auto found = std::ranges::find(chains.parameters, name, &ParameterChains::name);
    return found == chains.parameters.end() ? nullptr : &*found;
}

}  // namespace

TEST(RedistributionChains, StatesAreThoseThatDTensorWasAskedFor) {
    const std::vector<Case> cases = {
        {"fsdp_2d",
         {2, 4},
         "S(0)[0]S(0)[1]",
         {"S(0)[0]S(0)[1]->S(0)R->RR", "P(sum)P(sum)->S(0)P(sum)->S(0)[0]S(0)[1]"},
         {64, 48}},
        {"fsdp_columns", {2, 4}, "S(0)S(1)", {"S(0)S(1)->S(0)R->RR", "P(sum)P(sum)->S(0)P(sum)->S(0)S(1)"}, {64, 48}},
        {"hsdp", {2, 4}, "RS(0)", {"RS(0)->RR", "P(sum)P(sum)->RP(sum)->RS(0)"}, {64, 48}},
        {"fsdp_tp",
         {2, 4},
         "S(0)[0]S(0)[1]",
         {"S(0)[0]S(0)[1]->S(0)R->RR->RS(0)", "P(sum)S(0)->P(sum)R->S(0)R->S(0)[0]S(0)[1]"},
         {64, 48}},
        {"fsdp_tp_square",
         {2, 2},
         "S(0)[0]S(0)[1]",
         {"S(0)[0]S(0)[1]->S(0)R->RR->RS(0)", "P(sum)S(0)->P(sum)R->S(0)R->S(0)[0]S(0)[1]"},
         {64, 48}},
        {"fsdp_3d",
         {2, 2, 2},
         "S(0)[0]S(0)[1]S(0)[2]",
         {"S(0)[0]S(0)[1]S(0)[2]->S(0)[0]S(0)[1]R->S(0)RR->RRR->RS(0)R->RS(0)[0]S(0)[1]",
          "P(sum)S(0)[0]S(0)[1]->P(sum)S(0)R->P(sum)RR->S(0)RR->S(0)[0]S(0)[1]R->S(0)[0]S(0)[1]S(0)[2]"},
         {64, 48}},
        {"fsdp_uneven", {4, 2}, "S(0)R", {"S(0)R->RR", "P(sum)P(sum)->S(0)P(sum)->S(0)R"}, {30, 10}},
    };
    for (const Case& expected : cases) {
        SCOPED_TRACE(expected.name);
        const ParameterChains parameter = only_parameter(expected.name);
        EXPECT_EQ(parameter.obstacle, "");
        EXPECT_EQ(parameter.mesh.mesh.shape, expected.mesh);
        ASSERT_TRUE(parameter.inferred());
        EXPECT_EQ(to_text(parameter.storage), expected.storage);
        EXPECT_EQ(paths_of(parameter), expected.paths);
        for (const RedistributionChain& chain : parameter.chains) {
            EXPECT_EQ(chain.tensor.shape, expected.shape);
            EXPECT_EQ(chain.tensor.dtype, "float32");
        }
        EXPECT_EQ(parameter.chains.back().role, Role::gradient);
    }
}

TEST(RedistributionChains, MeshDimensionsWithoutCollectivesAreNoPartOfIt) {
    // Stored in reversed order, one gather does what two and a chunk do otherwise; tensor parallelism stays invisible.
    for (const std::string name : {"fsdp_tp_reversed", "fsdp_tp_rows"}) {
        const ParameterChains parameter = only_parameter(name);
        EXPECT_EQ(parameter.mesh.mesh.shape, Extents{2});
        EXPECT_EQ(paths_of(parameter), (std::vector<std::string>{"S(0)->R", "P(sum)->S(0)"}));
    }
}

TEST(RedistributionChains, CountsBytesOfEveryCollective) {
    const ParameterChains parameter = only_parameter("fsdp_tp");
    ASSERT_EQ(parameter.chains.size(), 2u);
    constexpr std::int64_t row = 48 * 4;
    EXPECT_EQ(parameter.chains[0].bytes, 32 * row + 64 * row);
    EXPECT_EQ(parameter.chains[1].bytes, 64 * row + 64 * row);
    EXPECT_EQ(parameter.chains[0].collectives.size(), 2u);
}

TEST(RedistributionChains, TensorParallelNormsAreReducedOverBothGroups) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    const GraphChains chains = redistribution_chains(*graph, {});
    EXPECT_EQ(chains.parameters.size(), 45u);
    const ParameterChains* norm = find_parameter(chains, "layers.0.attention_norm.weight");
    ASSERT_NE(norm, nullptr);
    ASSERT_EQ(norm->obstacle, "");
    EXPECT_EQ(norm->mesh.groups, (std::vector<std::string>{"41", "19"}));
    EXPECT_EQ(norm->mesh.mesh.dim_names, (std::vector<std::string>{"mesh_fsdp", "mesh_tp"}));
    EXPECT_EQ(norm->mesh.mesh.shape, (Extents{4, 2}));
    EXPECT_EQ(to_text(norm->storage), "S(0)R");
    EXPECT_EQ(paths_of(*norm).back(), "P(sum)P(sum)->P(sum)R->S(0)R");
    EXPECT_EQ(norm->chains[0].tensor.shape, Extents{256});
    // The weights beside them are communicated over FSDP's group alone.
    const ParameterChains* weight = find_parameter(chains, "layers.0.attention.wo.weight");
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->mesh.groups, std::vector<std::string>{"41"});
    for (const ParameterChains& parameter : chains.parameters) EXPECT_EQ(parameter.obstacle, "") << parameter.name;
}

TEST(RedistributionChains, EveryGatherOfAnFsdpStepBelongsToAParameter) {
    for (const std::string name : {"llama3_debugmodel_fsdp8", "llama3_8b_fsdp64.prebucket"}) {
        SCOPED_TRACE(name);
        const auto graph = test_graph(name);
        const GraphChains chains = redistribution_chains(*graph, {});
        std::set<NodeId> found;
        for (const ParameterChains& parameter : chains.parameters) {
            EXPECT_EQ(parameter.obstacle, "") << parameter.name;
            for (const RedistributionChain& chain : parameter.chains) {
                found.insert(chain.collectives.begin(), chain.collectives.end());
            }
        }
        std::size_t gathers = 0, gathers_found = 0;
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            if (graph->target_info(node).starts != CollectiveKind::all_gather) continue;
            ++gathers;
            gathers_found += found.contains(node) ? 1 : 0;
        }
        EXPECT_GT(gathers, 0u);
        EXPECT_EQ(gathers_found, gathers);
    }
}

TEST(RedistributionChains, ExpertWeightsAreShardedOverTheirOwnGroup) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const GraphChains chains = redistribution_chains(*graph, {});
    const ParameterChains* experts = find_parameter(chains, "layers.1.moe.routed_experts.inner_experts.w1_EFD");
    ASSERT_NE(experts, nullptr);
    EXPECT_EQ(experts->obstacle, "");
    EXPECT_EQ(experts->mesh.mesh.dim_names, std::vector<std::string>{"mesh_efsdp"});
    EXPECT_EQ(paths_of(*experts).front(), "S(0)->R");
    // Of three weights of equal shape in one module each has a gradient.
    EXPECT_EQ(experts->chains.back().role, Role::gradient);
}

TEST(RedistributionChains, BucketsAreSaidToBeMerged) {
    Json document = redistribution_document("fsdp_2d");
    node_of(document, "all_gather_into_tensor")["target"] = "bucketing._pre_bucket_all_gather.default";
    const GraphChains chains = redistribution_chains(*graph_of(document), {});
    ASSERT_FALSE(chains.parameters.empty());
    EXPECT_EQ(chains.parameters[0].obstacle,
              "its collectives are merged with those of other tensors (\"all_gather_into_tensor\"); open the graph as "
              "it is before bucketing");
}

TEST(RedistributionChains, GroupsThatFormNoMeshAreNamed) {
    Json document = redistribution_document("fsdp_2d");
    Json& groups = document["process_groups"];
    const std::string outer = groups[0]["name"], inner = groups[1]["name"];
    const auto named = [](const std::string& group, const std::string& description) {
        return "process group \"" + group + "\" (" + description + ")";
    };
    Json spaced = document;
    spaced["process_groups"][1]["ranks"] = {4, 5, 6, 9};
    EXPECT_EQ(obstacle_of(spaced),
              named(inner, "mesh_inner") +
                  " has ranks that are not evenly spaced, so it is no dimension of a row-major mesh");
    Json crossing = document;
    crossing["process_groups"][0]["ranks"] = {3, 5};
    crossing["process_groups"][0]["rank"] = 1;
    EXPECT_EQ(obstacle_of(crossing), named(outer, "mesh_middle") + " and " + named(inner, "mesh_inner") +
                                         " are no dimensions of one mesh: their ranks are not nested in one another");
    Json missing = document;
    missing["process_groups"].erase(1);
    EXPECT_EQ(obstacle_of(missing),
              "the graph does not list process group \"" + inner + "\", so its ranks are not known");
    Json elsewhere = document;
    elsewhere["process_groups"][1]["rank"] = 2;
    EXPECT_EQ(obstacle_of(elsewhere), named(outer, "mesh_middle") + " and " + named(inner, "mesh_inner") +
                                          " do not agree on which rank this one is");
}

TEST(RedistributionChains, GroupsOfTheSameRanksAreOneDimension) {
    // As passes leave it that give gathers a group of their own.
    Json document = redistribution_document("fsdp_tp");
    Json extra = document["process_groups"][0];
    extra["name"] = "extra";
    document["process_groups"].push_back(extra);
    node_of(document, "all_gather_into_tensor_1")["args"][2] = "extra";
    const ParameterChains parameter = only_parameter(*graph_of(document));
    EXPECT_EQ(parameter.obstacle, "");
    EXPECT_EQ(parameter.mesh.mesh.shape, (Extents{2, 4}));
    EXPECT_EQ(paths_of(parameter), paths_of(only_parameter("fsdp_tp")));
}

TEST(RedistributionChains, WhatContradictsItselfIsSaid) {
    // The outer group is gathered first although the inner one cuts inside it.
    Json document = redistribution_document("fsdp_2d");
    const Json first = node_of(document, "all_gather_into_tensor")["args"];
    const Json second = node_of(document, "all_gather_into_tensor_1")["args"];
    node_of(document, "all_gather_into_tensor")["args"] = {first[0], second[1], second[2]};
    node_of(document, "all_gather_into_tensor_1")["args"] = {second[0], first[1], first[2]};
    node_of(document, "all_gather_into_tensor")["outputs"][0]["shape"] = {16, 48};
    node_of(document, "wait_tensor")["outputs"][0]["shape"] = {16, 48};
    EXPECT_EQ(obstacle_of(document), "its gradient is laid out in another order than it");
    // Rows that are left over by no chunking.
    Json sizes = redistribution_document("fsdp_uneven");
    node_of(sizes, "slice_1")["outputs"][0]["shape"] = {25, 10};
    EXPECT_TRUE(obstacle_of(sizes).starts_with("the sizes of this rank's tensors are not those of chunks"))
        << obstacle_of(sizes);
}

}  // namespace overlap::test
