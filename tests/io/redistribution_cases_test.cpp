#include "core/io/redistribution_cases.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/mesh/sharding_text.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

const std::string header =
    R"json("header": {"mesh_shape": [2, 4], "mesh_dim_names": ["dp", "tp"], "devices_per_host": 4,
    "tensor_shape": [8, 8], "dtype": "bfloat16"})json";

std::vector<MeshCase> read(const std::string& cases) {
    return read_redistribution_cases_text("{" + header + ", \"cases\": [" + cases + "]}", "a.json");
}

/// Of one case without a name: what follows `a.json: cases[0]`.
std::string problem_of_case(const std::string& question) {
    const std::string problem = test::problem_of([&] { read(question); });
    const std::string place = "a.json: cases[0]";
    EXPECT_TRUE(problem.starts_with(place)) << problem;
    return problem.substr(std::min(place.size(), problem.size()));
}

TEST(RedistributionCases, FieldsOfACasePrecedeThoseOfTheHeader) {
    const std::vector<MeshCase> cases = read(R"json({"id": "a", "src": "S(0)R", "dst": {"placements": ["S(0)", "S(0)"],
        "shard_order": [[0, [1, 0]]], "text": "S(0)[1]S(0)[0]"}, "use_strided_shard_as_shard_order": true
},
        {"src": {"text": "R"}, "dst": "S(1)", "mesh_shape": [8], "dtype": "float32"})json");
    ASSERT_EQ(cases.size(), 2u);
    const auto& first = std::get<RedistributionCase>(cases[0]);
    EXPECT_EQ(first.id, "a");
    EXPECT_EQ(first.mesh.dim_names, (std::vector<std::string>{"dp", "tp"}));
    EXPECT_EQ(first.mesh.devices_per_host, 4);
    EXPECT_EQ(first.tensor.bytes(), 128);
    EXPECT_EQ(to_text(first.target), "S(0)[1]S(0)[0]");
    EXPECT_EQ(first.strided_shards, StridedShards::encode_order);
    const auto& second = std::get<RedistributionCase>(cases[1]);
    EXPECT_EQ(second.id, "");
    EXPECT_EQ(second.mesh.shape, Extents{8});
    EXPECT_TRUE(second.mesh.dim_names.empty());  // those of the header are of its mesh
    EXPECT_EQ(second.tensor.bytes(), 256);
    EXPECT_EQ(second.strided_shards, StridedShards::are_placements);
}

TEST(RedistributionCases, TheOtherKindsOfQuestions) {
    const std::vector<MeshCase> cases = read(R"json({"state": "S(0)R"},
        {"strided": ["S(0)", "_S(0, 2)"]}, {"shard_order": [[0, [1]]]},
        {"collective": "all_gather", "config": "h100", "mesh_dim": 1, "bytes": [1, 2]},
        {"collective": "all_to_all", "config": "a100", "mesh_dim": 0, "cost_us": [[3, 1.5]]})json");
    ASSERT_EQ(cases.size(), 5u);
    EXPECT_EQ(to_text(std::get<LayoutCase>(cases[0]).state), "S(0)R");
    EXPECT_EQ(std::get<StridedOrderCase>(cases[1]).strided[1], Placement::strided_shard(0, 2));
    const auto& order = std::get<StridedOrderCase>(cases[2]);
    ASSERT_TRUE(order.state);
    EXPECT_EQ(to_text(*order.state), "RS(0)");
    const auto& plain = std::get<NcclCase>(cases[3]);
    EXPECT_EQ(plain.bytes, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(plain.mesh_dim, 1);
    EXPECT_EQ(std::get<NcclCase>(cases[4]).bytes, std::vector<std::int64_t>{3});
    EXPECT_EQ(std::get<NcclCase>(cases[4]).collective, CollectiveKind::all_to_all);
}

TEST(RedistributionCases, MistakesHaveTheirPlace) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"{}", ": a case has src and dst, or state, or strided or shard_order, or collective"},
        {R"json({"src": "RR"})json", ": the field \"dst\" is missing, in the case and in the header"},
        {R"json({"id": "a", "src": "RR"})json", " \"a\": the field \"dst\" is missing, in the case and in the header"},
        {R"json({"id": 3, "src": "RR", "dst": "RR"})json", ".id: expected a string, found the integer 3"},
        {R"json({"src": "R", "dst": "RR"})json", ".src: state \"R\": it has 1 placement, the mesh has 2 dimensions"},
        {R"json({"src": {"placements": ["R", "X"]}, "dst": "RR"})json",
         ".src.placements[1]: placement \"X\": expected R, S(dim), P(op) or _S(dim, split factor)"},
        {R"json({"src": {"placements": ["R", "R"], "text": "RS(0)"}, "dst": "RR"})json",
         ".src.text: the placements beside it say \"RR\""},
        {R"json({"src": {"placements": ["R", "R"], "order": []}, "dst": "RR"})json",
         ".src: a state has placements, shard_order and text, not \"order\""},
        {R"json({"src": {"placements": ["S(0)", "S(0)"], "shard_order": [[0]]}, "dst": "RR"
})json",
         ".src.shard_order[0]: expected [tensor dimension, [mesh dimensions]]"},
        {R"json({"src": {"placements": ["S(0)", "S(0)"], "shard_order": [[0, [0]]]}, "dst": "RR"
})json",
         ".src: state \"S(0)S(0)\": the order of tensor dimension 0 lacks mesh dimension 1"},
        {R"json({"src": {"text": "S(2)R"}, "dst": "RR"})json",
         ".src: state \"S(2)R\": S(2) cuts a dimension that the tensor does not have: it has 2"},
        {R"json({"src": "RR", "dst": "RR", "mesh_shape": [0]})json",
         ".mesh_shape[0]: expected an integer of at least 1, found the integer 0"},
        {R"json({"src": "RR", "dst": "RR", "mesh_dim_names": ["a"]})json", ": mesh: 1 name for 2 mesh dimensions"},
        {R"json({"src": "RR", "dst": "RR", "dtype": "f32"})json", ": tensor: torch has no dtype \"f32\""},
        {R"json({"state": "S(0)R", "mesh_shape": [1048576, 2]})json",
         ": a layout lists the ranges of every rank: at most 1,048,576 of them"},
        {R"json({"state": "_S(0, 1048576)R"})json",
         ": a layout lists the ranges of every rank: at most 1,048,576 of them"},
        {R"json({"strided": ["R"]})json", ": expected as many placements as the mesh has dimensions"},
        {R"json({"shard_order": [[0, [2]]]})json",
         ".shard_order: state \"RR\": the order of tensor dimension 0 names mesh dimension 2, the mesh has 2"},
        {R"json({"shard_order": [[0, [1001]]]})json",
         ".shard_order[0][1][0]: expected an integer from 0 to 1,000, found the integer 1001"},
        {R"json({"collective": "broadcast", "config": "h100", "mesh_dim": 0, "bytes": []})json",
         ".collective: expected all_gather, reduce_scatter, all_reduce or all_to_all, found \"broadcast\""},
        {R"json({"collective": "all_gather", "config": "h100", "mesh_dim": 2, "bytes": []})json",
         ".mesh_dim: expected an integer from 0 to 1, found the integer 2"},
        {R"json({"collective": "all_gather", "config": "h100", "mesh_dim": 0})json",
         ": the field \"cost_us\" is missing, in the case and in the header"},
        {R"json({"collective": "all_gather", "config": "h100", "mesh_dim": 0, "cost_us": [[]]})json",
         ".cost_us[0]: expected a number of bytes"},
        {R"json({"collective": "all_gather", "config": "h100", "mesh_dim": 0, "bytes": [-1]})json",
         ".bytes[0]: expected an integer of at least 0, found the integer -1"},
    };
    for (const auto& [question, problem] : cases) EXPECT_EQ(problem_of_case(question), problem) << question;
    EXPECT_EQ(test::problem_of([] { read_redistribution_cases_text("{\"cases\": {}}", "a.json"); }),
              "a.json: cases: expected a list, found an object");
    EXPECT_EQ(test::problem_of([] { read_redistribution_cases_text("{\"header\": 1, \"cases\": []}", "a.json"); }),
              "a.json: header: expected an object, found the integer 1");
    EXPECT_TRUE(
        test::problem_of([] { read_redistribution_cases("/nowhere/a.json"); }).starts_with("/nowhere/a.json: "));
}

}  // namespace
}  // namespace overlap
