#include "core/memory/alive_storages.h"

#include <gtest/gtest.h>

#include "core/io/graph_file.h"
#include "core/memory/memory_profile.h"
#include "tests/cost/graph_sketch.h"
#include "tests/cost/reference_graphs.h"

namespace overlap::test {
namespace {

constexpr std::size_t all = 1'000'000;

TEST(AliveStorages, NamesWhatIsHeldTheLargestFirst) {
    GraphSketch sketch;
    const auto call = [&](std::string_view name, NodeId input, std::int64_t bytes) {
        return sketch.call(name, "aten.relu.default", GraphSketch::values({input}), {sketch.bytes(bytes)});
    };
    const NodeId x = sketch.input("x", sketch.bytes(100));
    const NodeId a = call("a", x, 10);
    const NodeId b = call("b", a, 200);
    const Graph graph = sketch.finish({b});
    // Points: the start, then allocation and release of a, allocation and release of b.
    const AliveStorages at_b = alive_storages(graph, StorageRule::reference, 3, all);
    ASSERT_EQ(at_b.pieces.size(), 3u);
    EXPECT_EQ(at_b.bytes, 310);
    EXPECT_EQ(at_b.pieces[0].allocator, b);
    EXPECT_EQ(at_b.pieces[0].released_by, no_node);
    EXPECT_EQ(at_b.pieces[1].allocator, x);
    EXPECT_EQ(at_b.pieces[2].allocator, a);
    EXPECT_EQ(at_b.pieces[2].released_by, b);
    EXPECT_EQ(alive_storages(graph, StorageRule::reference, 4, all).bytes, 300);

    const AliveStorages largest = alive_storages(graph, StorageRule::reference, 3, 1);
    EXPECT_EQ(largest.pieces.size(), 1u);
    EXPECT_EQ(largest.count, 3u);
    EXPECT_EQ(largest.bytes, 310);
}

/// The pieces add up to the profile at every point that is looked at, on real graphs and under either rule.
TEST(AliveStorages, AddUpToTheProfile) {
    int compared = 0;
    for (const auto& file : reference_graph_files()) {
        const auto graph = read_graph_file(file.string());
        if (graph->node_count() > 12'000) continue;
        for (const StorageRule rule : {StorageRule::reference, StorageRule::corrected}) {
            const MemoryProfile profile = memory_profile(*graph, rule);
            for (std::size_t step = 0; step <= 4; ++step) {
                const std::size_t point = (profile.points.size() - 1) * step / 4;
                const AliveStorages alive = alive_storages(*graph, rule, point, all);
                EXPECT_EQ(alive.bytes, profile.points[point]) << file << " at point " << point;
                std::int64_t sum = 0;
                for (const AliveStorage& piece : alive.pieces) sum += piece.bytes;
                EXPECT_EQ(sum, alive.bytes);
            }
        }
        ++compared;
    }
    EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace overlap::test
