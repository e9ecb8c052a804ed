// What `overlap redistribute` answers to each kind of question.

#include "core/io/redistribution_answers.h"

#include <gtest/gtest.h>

#include <string>

namespace overlap {
namespace {

using Json = nlohmann::ordered_json;

/// The answer to one question on a mesh of 2 by 2 ranks.
Json answer_to(const std::string& question) {
    const std::string text = R"json({"header": {"mesh_shape": [2, 2], "mesh_dim_names": ["dp", "tp"],
        "devices_per_host": 8, "tensor_shape": [8, 4], "dtype": "float32"}, "cases": [)json" +
                             question + "]}";
    return RedistributionAnswers().answer(read_redistribution_cases_text(text, "a.json").at(0));
}

TEST(RedistributionAnswers, LayoutsAreOffsetsAndSizesOfEachRank) {
    EXPECT_EQ(answer_to(R"json({"id": "a", "state": "S(0)R"})json"),
              Json::parse(R"json({"id": "a", "rank_offset_size": [[[0, 0], [4, 4]], [[0, 0], [4, 4]], [[4, 0], [4, 4]],
                              [[4, 0], [4, 4]]]})json"));
}

TEST(RedistributionAnswers, LayoutsOfStridedShardsAreRangesOfEachDimension) {
    // The inner mesh dimension cuts each half of the outer one's cut.
    const Json ranks = answer_to(R"json({"state": "_S(0, 2)R"})json")["rank_offset_size"];
    EXPECT_EQ(ranks[0], Json::parse("[[[0, 2], [4, 2]], [[0, 4]]]"));
    EXPECT_EQ(ranks[2], Json::parse("[[[2, 2], [6, 2]], [[0, 4]]]"));
}

TEST(RedistributionAnswers, OrdersAreEncodedByStridedShardsAndBack) {
    const Json json = answer_to(R"({"shard_order": [[0, [1, 0]]]})");
    EXPECT_EQ(json["shard_order"], Json::parse("[[0, [1, 0]]]"));
    EXPECT_EQ(json["strided"], Json::parse(R"json(["_S(0, 2)", "S(0)"])json"));
    EXPECT_EQ(json["decoded"], json["shard_order"]);
    EXPECT_EQ(json["roundtrip"], true);
    EXPECT_EQ(answer_to(R"json({"strided": ["_S(0, 3)", "S(0)"]})json")["decoded"], Json())
        << "no order has such a factor";
}

TEST(RedistributionAnswers, LargerSizesCostMore) {
    const Json costs = answer_to(
        R"({"collective": "all_gather", "config": "h100", "mesh_dim": 0, "bytes": [1024, 1048576]})")["cost_us"];
    ASSERT_EQ(costs.size(), 2u);
    EXPECT_EQ(costs[0][0], 1024);
    EXPECT_EQ(costs[1][0], 1048576);
    EXPECT_GT(costs[0][1].get<double>(), 0);
    EXPECT_GT(costs[1][1].get<double>(), costs[0][1].get<double>());
}

TEST(RedistributionAnswers, PlansAreComparedOnOneScale) {
    const Json json = answer_to(R"json({"src": "S(0)S(0)", "dst": "RR"})json");
    const auto cost = [&](const char* name) { return json.at(name).get<double>(); };
    // Where each gather costs 2, two of them cost more than one over both mesh dimensions.
    EXPECT_EQ(cost("optimum_fixed_torch_edges"), 4);
    EXPECT_EQ(cost("optimum_fixed_flat"), 2);
    // By torch's prices too; who has more ways to choose from finds no dearer one.
    EXPECT_GT(cost("optimum_flat"), 0);
    EXPECT_LE(cost("optimum_flat_permute"), cost("optimum_flat"));
    EXPECT_LT(cost("optimum_flat"), cost("optimum_torch_edges"));
    EXPECT_EQ(cost("torch_graph_posthoc_flattened"), cost("optimum_flat"));
    EXPECT_EQ(cost("torch_graph"), cost("optimum_torch_edges"));
    EXPECT_LE(cost("optimum_flat"), cost("torch_default_executed"));
    EXPECT_TRUE(json["plans"].contains("greedy"));
    EXPECT_TRUE(json["plans"].contains("optimal"));
    EXPECT_TRUE(json["strategy_cost"].is_number());
}

TEST(RedistributionAnswers, TorchTakesEncodedOrdersForInfinitelyDearButFromReplicates) {
    const auto cost = [](const std::string& source) {
        return answer_to(R"({"src": ")" + source + R"json(", "dst": {"placements": ["_S(0, 2)", "S(0)"]},
                             "use_strided_shard_as_shard_order": true})json")["strategy_cost"];
    };
    EXPECT_EQ(cost("RR"), 0.0);
    EXPECT_EQ(cost("S(0)R"), "inf");
}

}  // namespace
}  // namespace overlap
