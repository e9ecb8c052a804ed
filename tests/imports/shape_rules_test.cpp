#include <gtest/gtest.h>

#include <filesystem>

#include "core/io/graph_file.h"
#include "tests/imports/stripped_graph.h"

namespace overlap {
namespace {

/// Every tensor of a graph that PyTorch traced, worked out again from the graph's inputs alone.
void expect_exact(const std::string& path, double least_coverage) {
    const auto graph = read_graph_file(path);
    const test::TypingComparison comparison = test::compare_typing(*graph);
    ASSERT_GT(comparison.calls, 0u);
    EXPECT_EQ(comparison.equal, comparison.known) << path << ", first " << comparison.first_difference;
    EXPECT_GE(static_cast<double>(comparison.known), least_coverage * static_cast<double>(comparison.calls)) << path;
}

TEST(ShapeRules, TracedGraphsOfTheRepositoryAreWorkedOutExactly) {
    std::size_t graphs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(OVERLAP_TEST_DATA "/graphs")) {
        const std::string path = entry.path().string();
        // torchtitan's chunking leaves the shapes of whole batches in graphs that work on halves.
        if (!path.ends_with(".graph.json.gz") || path.find("chunk_pass") != std::string::npos) continue;
        expect_exact(path, 0.9);
        ++graphs;
    }
    EXPECT_GT(graphs, 0u);
}

TEST(ShapeRules, TracedGraphsOfLargeModelsAreWorkedOutCompletely) {
    const std::string samples = OVERLAP_TEST_DATA "/../../resources/samples/";
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_8b_fsdp128.prebucket"}) {
        expect_exact(samples + name + ".graph.json.gz", 1.0);
    }
    const std::string shared = OVERLAP_SHARED_DATA "/graphs/";
    if (!std::filesystem::exists(shared)) return;
    for (const char* name : {"llama3_debugmodel_fsdp8", "llama3_8b_fsdp64", "llama3_8b_fw_64_2d", "llama3_8b_bw_64_2d",
                             "deepseek_v3_debugmodel_fsdp8_ep4"}) {
        expect_exact(shared + name + ".graph.json.gz", 1.0);
    }
}

}  // namespace
}  // namespace overlap
