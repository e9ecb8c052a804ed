#include "core/views/peak_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

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
    for (const Storage& storage : memory.table().storages()) {
        const auto life = lives.of(storage);
        if (!life || point < life->from || point >= life->until) continue;
        if (result->origin[storage.allocator] != no_node) continue;
        const auto bytes = static_cast<double>(storage.bytes);
        const bool was_halved = !experts::shown_chunk_metadata(*result->graph, storage.allocator).original_name.empty();
        (was_halved ? of_second_halves : of_no_node) += bytes;
    }
    EXPECT_GT(of_second_halves, 0);
    EXPECT_LE(peak.other, of_no_node) << "of buckets, what no node is the origin of is of their members";
    // Two of the second halves that are held: of the first halves nothing is any more.
    for (const char* const name : {"getitem_131_recomputed", "getitem_132_recomputed"}) {
        ASSERT_NE(result->graph->find(std::string(name) + "_chunk1"), no_node);
        EXPECT_EQ(peak.nodes[graph->find(name)], 67'108'608) << name;
    }
}

}  // namespace
}  // namespace overlap
