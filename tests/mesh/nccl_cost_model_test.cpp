#include "core/mesh/nccl/nccl_cost_model.h"

#include <gtest/gtest.h>

#include "tests/mesh/autoparallel_goldens.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using nlohmann::json;
using test::problem_of;

NcclArchitecture architecture_of(const json& name) {
    return name == "ampere"   ? NcclArchitecture::ampere
           : name == "hopper" ? NcclArchitecture::hopper
                              : NcclArchitecture::blackwell;
}

NcclConfig config_of(const json& golden) {
    return {.architecture = architecture_of(golden.at("arch")),
            .gpus_per_node = golden.at("gpus_per_node"),
            .intra_node_bandwidth = golden.at("bw_intra"),
            .inter_node_bandwidth = golden.at("bw_inter"),
            .channels = golden.at("num_channels"),
            .has_nvswitch = golden.at("has_nvswitch"),
            .has_collnet = golden.at("has_collnet"),
            .net_latency_us = golden.at("net_latency")};
}

TEST(NcclCostModel, EverySampleOfTheNamedConfigurationsAgrees) {
    int samples = 0;
    for (const json& golden : test::autoparallel_cases("nccl_costs.json")) {
        SCOPED_TRACE(golden.at("id"));
        const NcclTopology topology = nccl_topology(find_nccl_config(golden.at("config").get<std::string>()),
                                                    golden.at("mesh_shape").get<Extents>(), golden.at("mesh_dim"));
        const json& expected = golden.at("topo");
        EXPECT_EQ(topology.ranks, expected[0]);
        EXPECT_EQ(topology.nodes, expected[1]);
        EXPECT_EQ(topology.ranks_per_node, expected[2]);
        EXPECT_EQ(topology.intra_node_bandwidth, expected[3]);
        EXPECT_EQ(topology.inter_node_bandwidth, expected[4]);
        EXPECT_EQ(topology.config.channels, expected[5]);
        for (const json& sample : golden.at("cost_us")) {
            const double time = nccl_time_us(topology, test::golden_collective(golden.at("collective")), sample[0]);
            EXPECT_PRED2(test::agrees, time, sample[1].get<double>()) << sample[0] << " bytes";
            ++samples;
        }
    }
    EXPECT_EQ(samples, 4968);
}

TEST(NcclCostModel, AnyConfigurationAgreesWithAutoparallel) {
    int samples = 0, divisions_by_zero = 0;
    for (const json& golden : test::autoparallel_cases("nccl.json")) {
        SCOPED_TRACE(golden.dump());
        const NcclTopology topology =
            nccl_topology(config_of(golden), golden.at("mesh_shape").get<Extents>(), golden.at("mesh_dim"));
        EXPECT_EQ(json({topology.ranks, topology.nodes, topology.ranks_per_node}), golden.at("topo"));
        const CollectiveKind collective = test::golden_collective(golden.at("collective"));
        if (golden.at("cost_us").is_null()) {
            EXPECT_EQ(topology.ranks, 1);
            EXPECT_EQ(nccl_time_us(topology, collective, 1 << 20), 0.0);
            ++divisions_by_zero;
            continue;
        }
        for (const json& sample : golden.at("cost_us")) {
            const double time = nccl_time_us(topology, collective, sample[0]);
            EXPECT_PRED2(test::agrees, time, test::golden_number(sample[1])) << sample[0] << " bytes";
            ++samples;
        }
    }
    EXPECT_GT(samples, 1500);
    EXPECT_GT(divisions_by_zero, 10);
}

TEST(NcclCostModel, OneRankCostsWhatTheCurveSaysOrNothing) {
    // Within an NVSwitch the curve is held below 2 ranks; elsewhere the model would divide by no steps.
    const NcclTopology switched = nccl_topology(find_nccl_config("h100"), {1, 8}, 0);
    EXPECT_EQ(nccl_time_us(switched, CollectiveKind::all_gather, 0), 8.0);
    const NcclTopology linked = nccl_topology(find_nccl_config("a100"), {1, 8}, 0);
    EXPECT_EQ(nccl_time_us(linked, CollectiveKind::all_gather, 1 << 30), 0.0);
    EXPECT_EQ(nccl_time_us(linked, CollectiveKind::all_reduce, 1 << 30), 0.0);
}

TEST(NcclCostModel, RampsBeginAbruptlySoMoreBytesMayCostLess) {
    const NcclTopology nodes = nccl_topology(find_nccl_config("h100"), {2, 8}, 0);
    const auto time = [&](std::int64_t bytes) { return nccl_time_us(nodes, CollectiveKind::all_to_all, bytes); };
    EXPECT_GT(time(32 * 1024), time(32 * 1024 - 1) + 1.0);
    EXPECT_GT(time(4 * 1024 * 1024 - 1), time(4 * 1024 * 1024));
}

TEST(NcclCostModel, BadInputIsToldInASentence) {
    EXPECT_EQ(problem_of([] { find_nccl_config("v100"); }),
              "NCCL configuration \"v100\": unknown name, expected one of a100, h100, gb200, h100_8ch, h100_sharp, "
              "h100_no_nvswitch, a100_sharp_netlat");
    const NcclConfig h100 = find_nccl_config("h100");
    EXPECT_EQ(problem_of([&] {
                  nccl_topology(h100, {2, 4}, 2);
              }),
              "mesh dimension 2: the mesh has 2 dimensions, counted from 0");
    EXPECT_EQ(problem_of([&] {
                  nccl_topology(h100, {2, 4}, -1);
              }),
              "mesh dimension -1: the mesh has 2 dimensions, counted from 0");
    EXPECT_EQ(problem_of([&] {
                  nccl_topology(h100, {2, 0}, 0);
              }),
              "mesh shape: a mesh dimension has at least one rank, not 0");
    NcclConfig no_channels = h100;
    no_channels.channels = 0;
    EXPECT_EQ(problem_of([&] { nccl_topology(no_channels, {8}, 0); }),
              "NCCL configuration: NCCL uses at least one channel, not 0");
    NcclConfig no_gpus = h100;
    no_gpus.gpus_per_node = 0;
    EXPECT_EQ(problem_of([&] { no_gpus.validate(); }), "NCCL configuration: a node has at least one GPU, not 0");
    for (double NcclConfig::*bandwidth : {&NcclConfig::intra_node_bandwidth, &NcclConfig::inter_node_bandwidth}) {
        NcclConfig no_bandwidth = h100;
        no_bandwidth.*bandwidth = 0.0;
        EXPECT_EQ(problem_of([&] { no_bandwidth.validate(); }),
                  "NCCL configuration: the bandwidths within and between nodes must be above 0 GB/s");
    }
    NcclConfig early = h100;
    early.net_latency_us = -1.0;
    EXPECT_EQ(problem_of([&] { early.validate(); }),
              "NCCL configuration: the latency of the network must not be negative");
    const NcclTopology topology = nccl_topology(h100, {8}, 0);
    EXPECT_EQ(problem_of([&] { nccl_time_us(topology, CollectiveKind::all_gather, -1); }),
              "bytes of a collective: must not be negative, not -1");
    EXPECT_EQ(problem_of([&] { nccl_time_us(topology, CollectiveKind::broadcast, 1); }),
              "broadcast: the NCCL model has no such collective");
}

}  // namespace
}  // namespace overlap
