#include "core/predict/checked_range.h"

#include <gtest/gtest.h>

#include <string>

#include "core/graph/editing/graph_editor.h"
#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"

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

TEST(CheckedRange, LeavesOutMoreRanksThanWereChecked) {
    const auto graph = read_graph_file(data + "/published_runs/b_llama3_8b_fsdp128.prebucket.graph.json.gz");
    const auto of_ranks = [&](std::int64_t world_size, int group_size) {
        GraphHeader header = graph->header();
        header.world_size = world_size;
        header.process_groups.front().ranks.resize(static_cast<std::size_t>(group_size));
        GraphEditor editor(graph);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        return outside_checked_runs(*editor.finish(origin), blocks);
    };
    EXPECT_TRUE(of_ranks(256, 128).empty());
    EXPECT_EQ(of_ranks(257, 128), std::vector<std::string>{"257 ranks, and no checked run has more than 256"});
    // A graph that does not say its world size has its largest group.
    EXPECT_EQ(of_ranks(1, 512), std::vector<std::string>{"512 ranks, and no checked run has more than 256"});
}

TEST(CheckedRange, LeavesOutProductsInFloat8) {
    for (const std::string target : {"aten._scaled_mm.default", "aten._scaled_grouped_mm.default"}) {
        test::GraphSketch sketch;
        const NodeId input = sketch.input("x", sketch.tensor("float8_e4m3fn", {16, 16}));
        const NodeId product = sketch.call("product", target, test::GraphSketch::values({input, input}),
                                           {sketch.tensor("bfloat16", {16, 16})});
        const std::vector<std::string> found = outside_checked_runs(sketch.finish({product}), blocks);
        ASSERT_FALSE(found.empty()) << target;  // a grouped product is of experts, too
        EXPECT_EQ(found.back(), "it has products in float8, and no checked run has");
    }
}

}  // namespace
}  // namespace overlap
