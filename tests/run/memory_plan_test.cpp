#include "core/run/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/graph_file.h"
#include "core/memory/memory_profile.h"
#include "tests/cost/graph_sketch.h"
#include "tests/cost/reference_graphs.h"

namespace overlap::test {
namespace {

MemoryPlan plan_of(const Graph& graph) {
    return plan_memory(graph, make_program(graph));
}

const Buffer& buffer_of(const MemoryPlan& plan, NodeId allocator) {
    return *std::find_if(plan.buffers.begin(), plan.buffers.end(),
                         [&](const Buffer& buffer) { return buffer.allocator == allocator; });
}

/// No two buffers that are alive at one time share a byte.
void expect_disjoint(const MemoryPlan& plan) {
    std::vector<const Buffer*> by_offset;
    for (const Buffer& buffer : plan.buffers) {
        if (buffer.bytes > 0) by_offset.push_back(&buffer);
        ASSERT_GE(buffer.offset, 0);
        ASSERT_EQ(buffer.offset % MemoryPlan::alignment_bytes, 0);
        ASSERT_LE(buffer.offset + buffer.bytes, plan.pool_bytes);
    }
    std::sort(by_offset.begin(), by_offset.end(),
              [](const Buffer* left, const Buffer* right) { return left->offset < right->offset; });
    for (std::size_t first = 0; first < by_offset.size(); ++first) {
        const std::int64_t end = by_offset[first]->offset + by_offset[first]->bytes;
        for (std::size_t second = first + 1; second < by_offset.size() && by_offset[second]->offset < end; ++second) {
            const bool at_one_time = by_offset[first]->first <= by_offset[second]->last &&
                                     by_offset[second]->first <= by_offset[first]->last;
            ASSERT_FALSE(at_one_time) << "buffers of nodes " << by_offset[first]->allocator << " and "
                                      << by_offset[second]->allocator;
        }
    }
}

class Buffers : public ::testing::Test {
  protected:
    NodeId node(std::string_view name, std::initializer_list<NodeId> inputs, const TensorMeta& output) {
        return sketch.call(name, "aten.relu.default", GraphSketch::values(inputs), {output});
    }

    GraphSketch sketch;
};

TEST_F(Buffers, MemoryIsUsedAgainAfterTheLastUse) {
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId a = node("a", {x}, sketch.bytes(1024));
    const NodeId b = node("b", {a}, sketch.bytes(512));
    const NodeId c = node("c", {b}, sketch.bytes(1024));
    const Graph graph = sketch.finish({c});
    const MemoryPlan plan = plan_of(graph);
    EXPECT_EQ(buffer_of(plan, c).offset, buffer_of(plan, a).offset);
    EXPECT_EQ(plan.pool_bytes, 512 + 1024 + 512);
    EXPECT_EQ(plan.live_peak_bytes, 512 + 1024 + 512);
    expect_disjoint(plan);
}

TEST_F(Buffers, ACollectivesInputIsKeptUntilItIsAwaited) {
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId a = node("a", {x}, sketch.bytes(512));
    const NodeId gathered = sketch.gather("gathered", a, 1);
    const NodeId meanwhile = node("meanwhile", {x}, sketch.bytes(512));
    const NodeId waited = sketch.wait("waited", gathered);
    const NodeId after = node("after", {waited, meanwhile}, sketch.bytes(512));
    const Graph graph = sketch.finish({after});
    const MemoryPlan plan = plan_of(graph);
    EXPECT_EQ(buffer_of(plan, a).last, waited);
    EXPECT_NE(buffer_of(plan, meanwhile).offset, buffer_of(plan, a).offset);
    expect_disjoint(plan);
}

TEST_F(Buffers, AWaitReturnsWhatItsCollectiveHasWritten) {
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId gathered = sketch.gather("gathered", x, 1);
    const NodeId waited = sketch.wait("waited", gathered);  // the sketch gives it a storage of its own
    const NodeId after = node("after", {waited}, sketch.bytes(512));
    const Graph graph = sketch.finish({after});
    const MemoryPlan plan = plan_of(graph);
    EXPECT_EQ(plan.of_output[plan.first_of_node[waited]], plan.of_output[plan.first_of_node[gathered]]);
    EXPECT_EQ(buffer_of(plan, gathered).last, after);
    expect_disjoint(plan);
}

TEST_F(Buffers, WhatNothingAwaitsStaysToTheEnd) {
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId a = node("a", {x}, sketch.bytes(512));
    sketch.reduce("sum", a, 1);
    const NodeId after = node("after", {x}, sketch.bytes(512));
    const Graph graph = sketch.finish({after});
    EXPECT_EQ(buffer_of(plan_of(graph), a).last, graph.node_count() - 1);
}

TEST_F(Buffers, ViewsLieInTheirBase) {
    const NodeId x = sketch.input("x", sketch.bytes(512, 50));
    const NodeId a = node("a", {x}, sketch.bytes(1024, 51));
    const NodeId view = sketch.call("view", "aten.view.default", GraphSketch::values({a}), {sketch.bytes(1024, 51)});
    const NodeId last = node("last", {view}, sketch.bytes(512, 52));
    const Graph graph = sketch.finish({last});
    const MemoryPlan plan = plan_of(graph);
    EXPECT_EQ(plan.of_output[plan.first_of_node[view]], plan.of_output[plan.first_of_node[a]]);
    EXPECT_EQ(buffer_of(plan, a).last, last);
    EXPECT_EQ(plan.buffers.size(), 3u);
}

TEST_F(Buffers, TheLargestIsTheFirstOfSeveralAsLarge) {
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId a = node("a", {x}, sketch.bytes(1024));
    const NodeId b = node("b", {a}, sketch.bytes(1024));
    const MemoryPlan plan = plan_of(sketch.finish({b}));
    EXPECT_EQ(plan.largest_bytes, 1024);
    EXPECT_EQ(plan.largest_node, a);
}

TEST_F(Buffers, MemoryOfAHostIsNoneOfTheDevices) {
    const NodeId x = sketch.input("x", sketch.bytes(512, {}, "cpu"));
    const NodeId a = node("a", {x}, sketch.bytes(512));
    const Graph graph = sketch.finish({a});
    const MemoryPlan plan = plan_of(graph);
    EXPECT_EQ(plan.of_output[plan.first_of_node[x]], MemoryPlan::no_buffer);
    EXPECT_EQ(plan.pool_bytes, 512);
}

TEST(BuffersOfRealGraphs, NeverShareAByteWhileBothAreAlive) {
    const auto graph =
        read_graph_file(OVERLAP_TEST_DATA "/../../resources/samples/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const MemoryPlan plan = plan_of(*graph);
    ASSERT_GT(plan.buffers.size(), 800u);
    expect_disjoint(plan);
    EXPECT_GE(plan.pool_bytes, plan.live_peak_bytes);
    EXPECT_LT(static_cast<double>(plan.pool_bytes), 1.2 * static_cast<double>(plan.live_peak_bytes))
        << "little is lost between pieces";
}

/// The peak that all outputs show is what a run holds.
TEST(BuffersOfRealGraphs, HoldWhatThePeakSays) {
    std::size_t compared = 0;
    for (const std::filesystem::path& file : reference_graph_files()) {
        const auto graph = read_graph_file(file);
        const MemoryProfile profile = memory_profile(*graph, StorageRule::corrected);
        if (profile.peak_bytes == 0) continue;  // traced on a CPU
        ++compared;
        EXPECT_EQ(plan_of(*graph).live_peak_bytes, profile.peak_bytes) << file;
    }
    EXPECT_GE(compared, 10u);
}

}  // namespace
}  // namespace overlap::test
