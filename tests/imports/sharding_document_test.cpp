#include "core/imports/sharding_document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/mesh/sharding_text.h"

namespace overlap {
namespace {

constexpr std::string_view mesh = R"json({"mesh": {"shape": [4, 2], "dim_names": ["dp", "tp"]}, "nodes": [)json";
constexpr std::string_view parameter = R"json({"name": "primals_1", "op": "placeholder", "phase": "forward",
    "placement": "S(0)S(1)", "inputs": [], "compute_cost": 0.0, "dtype": "bfloat16", "shape": [64, 32]})json";
constexpr std::string_view split = R"json({"name": "split", "op": "aten.split.Tensor", "placement": "(S(0)R, None)",
    "inputs": [{"name": "primals_1", "src_placement": "S(0)S(1)", "dst_placement": "S(0)R", "comm_cost": 12.5},
               {"name": "sym_size", "src_placement": null, "dst_placement": null, "comm_cost": 0.0}],
    "compute_cost": 3.5})json";
constexpr std::string_view output = R"json({"name": "output", "op": "output", "inputs": [{"name": "split"}]})json";

class ShardingDocumentFile : public ::testing::Test {
  protected:
    ShardingDocument read(const std::string& text) {
        std::ofstream(path_) << text;
        return read_sharding_document(path_);
    }
    ShardingDocument read_stopped(const std::string& text) {
        std::ofstream(path_) << text;
        std::stop_source stop;
        stop.request_stop();
        return read_sharding_document(path_, stop.get_token());
    }
    std::string refusal(const std::string& text) {
        try {
            read(text);
        } catch (const InputError& error) {
            EXPECT_EQ(error.file(), path_);
            return error.place() + ": " + error.problem();
        }
        return "none";
    }
    static std::string document(std::string_view first, std::string_view second) {
        return std::string(mesh).append(first).append(",").append(second).append("]}");
    }
    void TearDown() override { std::filesystem::remove(path_); }

    const std::string path_ = ::testing::TempDir() + "sharding_document_test.json";
};

TEST_F(ShardingDocumentFile, PlacementsAndRedistributions) {
    const ShardingDocument read_back = read(document(std::string(parameter).append(",").append(split), output));
    EXPECT_EQ(read_back.mesh_shape, (std::vector<std::int64_t>{4, 2}));
    EXPECT_EQ(read_back.mesh_names, (std::vector<std::string>{"dp", "tp"}));
    ASSERT_EQ(read_back.nodes.size(), 2u);
    EXPECT_EQ(to_text(*read_back.nodes[0].state), "S(0)S(1)");
    EXPECT_EQ(read_back.nodes[0].shape, (std::vector<std::int64_t>{64, 32}));
    const ShardedNode& last = read_back.nodes[1];
    EXPECT_FALSE(last.state);
    EXPECT_EQ(last.placement, "(S(0)R, None)");
    ASSERT_EQ(last.inputs.size(), 2u);
    EXPECT_TRUE(last.inputs[0].is_redistributed());
    EXPECT_EQ(to_text(*last.inputs[0].taken), "S(0)R");
    EXPECT_FALSE(last.inputs[1].is_redistributed());
    EXPECT_EQ(read_back.redistribution_us(), 12.5);
    EXPECT_EQ(read_back.compute_us(), 3.5);
    EXPECT_EQ(read_back.nodes[0].dtype, "bfloat16");
    EXPECT_EQ(last.dtype, "");
}

TEST_F(ShardingDocumentFile, IsEmptyWhenReadingIsStopped) {
    EXPECT_TRUE(read_stopped(document(parameter, output)).nodes.empty());
}

TEST_F(ShardingDocumentFile, IsToldFromOtherDocumentsByItsBeginning) {
    EXPECT_TRUE(looks_like_sharding_document(document(parameter, split)));
    std::string list = "[";
    list.append(document(parameter, split)).append("]");
    EXPECT_FALSE(looks_like_sharding_document(list));
    EXPECT_FALSE(looks_like_sharding_document(R"({"format": "overlap-graph", "nodes": [{"name": "mesh"}]})"));
    EXPECT_FALSE(looks_like_sharding_document(""));
}

TEST_F(ShardingDocumentFile, BadDocumentsAreRefusedWithTheirPlace) {
    auto with = [&](std::string_view old_text, std::string_view new_text) {
        std::string text = document(parameter, split);
        text.replace(text.find(old_text), old_text.size(), new_text);
        return refusal(text);
    };
    EXPECT_EQ(refusal("{\"nodes\": []}"), "document: the field \"mesh\" is missing");
    EXPECT_EQ(with("[4, 2]", "[4, 0]").substr(0, 14), "mesh.shape[1]:");
    EXPECT_EQ(with("[\"dp\", \"tp\"]", "[\"dp\"]"), "mesh.dim_names: expected a name for each dimension of the mesh");
    EXPECT_NE(with("\"S(0)S(1)\"", "\"S(0)\"").find("nodes[0] \"primals_1\", placement: "), std::string::npos);
    EXPECT_NE(with("\"S(0)S(1)\"", "\"S(0)Q\"").find("nodes[0] \"primals_1\", placement: "), std::string::npos);
    EXPECT_NE(with("[64, 32]", "[64]").find("it cuts dimension 1 of a tensor that has 1"), std::string::npos);
    EXPECT_NE(with("12.5", "\"12.5\"").find("nodes[1] \"split\", inputs[0].comm_cost: "), std::string::npos);
    EXPECT_NE(refusal("[]").find("document"), std::string::npos);
}

}  // namespace
}  // namespace overlap
