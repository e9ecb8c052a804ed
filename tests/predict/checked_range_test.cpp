#include "core/predict/checked_range.h"

#include <gtest/gtest.h>

#include <string>

#include "core/io/graph_file.h"

namespace overlap {
namespace {

const std::string data = OVERLAP_TEST_DATA;
constexpr Compilation blocks{.scope = CompiledScope::blocks};

std::vector<std::string> differences(const std::string& graph, const std::optional<Compilation>& compilation) {
    return outside_checked_runs(*read_graph_file(data + graph), compilation);
}

TEST(CheckedRange, HasThePublishedRunsThemselves) {
    EXPECT_TRUE(differences("/published_runs/b_llama3_8b_fsdp128.prebucket.graph.json.gz", blocks).empty());
    EXPECT_TRUE(differences("/published_runs/c_llama3_8b_fsdp8_tp8.prebucket.graph.json.gz", blocks).empty());
}

TEST(CheckedRange, LeavesOutOtherCompilations) {
    const std::string graph = "/published_runs/b_llama3_8b_fsdp128.prebucket.graph.json.gz";
    EXPECT_EQ(differences(graph, {}).size(), 1u);
    EXPECT_EQ(differences(graph, Compilation{.scope = CompiledScope::whole}).size(), 1u);
}

TEST(CheckedRange, LeavesOutExperts) {
    const auto found = differences("/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz", blocks);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find("all-to-alls"), std::string::npos);
}

}  // namespace
}  // namespace overlap
