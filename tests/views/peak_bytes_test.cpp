#include "core/views/peak_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "core/memory/counted_memory.h"
#include "core/memory/memory_kinds.h"
#include "core/memory/storage_lives.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

double sum(const PeakBytesOfInput& peak) {
    return std::accumulate(peak.nodes.begin(), peak.nodes.end(), peak.other);
}

class PeakBytes : public testing::Test {
  protected:
    std::shared_ptr<const Graph> graph_ = test_graph("llama3_debugmodel_fsdp8.prebucket");
};

TEST_F(PeakBytes, OfTheGraphAsItIsAreOfWhatAllocatesThem) {
    const auto baseline = evaluate_baseline(graph_);
    const PeakBytesOfInput peak = peak_bytes_of_input(*baseline);
    EXPECT_EQ(peak.other, 0);
    EXPECT_EQ(sum(peak), static_cast<double>(baseline->corrected_memory.peak_bytes));
}

TEST_F(PeakBytes, OfBucketsAreSharedAmongTheirMembers) {
    Plan plan = make_plan(*graph_, "");
    plan.buckets = {{.modules = {"layers.0"}}, {.modules = {"layers.1", "layers.2"}}};
    const auto result = evaluate(graph_, plan);
    ASSERT_FALSE(result->refused);
    const PeakBytesOfInput peak = peak_bytes_of_input(*result);
    EXPECT_NEAR(sum(peak), static_cast<double>(result->corrected_memory.peak_bytes), 1);
    // What packs and unpacks a bucket is its members', so nothing is left over.
    EXPECT_EQ(peak.other, 0);
}

/// The second half of a halved batch is of new nodes, whose memory is of what was halved, too.
TEST(PeakBytesOfHalves, AreOfWhatWasHalved) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    const auto result = evaluate(graph, plan_of(pipeline_presets(*graph).front(), *graph, "As torchtitan runs it"));
    ASSERT_FALSE(result->refused);
    const PeakBytesOfInput peak = peak_bytes_of_input(*result);
    EXPECT_NEAR(sum(peak), static_cast<double>(result->corrected_memory.peak_bytes), 1);
    const CountedMemory memory(*result->graph, StorageRule::corrected);
    const StorageLives lives(*result->graph);
    const std::size_t point = peak_point(result->corrected_memory);
    double of_second_halves = 0, of_no_node = 0;
    std::map<NodeId, double> of_halved;  // by the node of the input that was halved
    std::set<NodeId> first_halves;
    for (const Storage& storage : memory.table().storages()) {
        const auto life = lives.of(storage);
        if (!life || point < life->from || point >= life->until) continue;
        if (const NodeId origin = result->origin[storage.allocator]; origin != no_node) {
            first_halves.insert(origin);
            continue;
        }
        const auto bytes = static_cast<double>(storage.bytes);
        const std::string halved = experts::shown_chunk_metadata(*result->graph, storage.allocator).original_name;
        (halved.empty() ? of_no_node : of_second_halves) += bytes;
        if (const NodeId node = graph->find(halved); node != no_node) of_halved[node] += bytes;
    }
    EXPECT_GT(of_second_halves, 0);
    EXPECT_LE(peak.other, of_no_node) << "of buckets, what no node is the origin of is of their members";
    // Second halves of whose first halves nothing is held any more.
    std::size_t alone = 0;
    for (const auto& [node, bytes] : of_halved) {
        if (first_halves.contains(node)) continue;
        ++alone;
        EXPECT_EQ(peak.nodes[node], bytes) << graph->name(node);
    }
    EXPECT_GE(alone, 2u);
}

}  // namespace
}  // namespace overlap
