#include "core/memory/memory_kinds.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/io/graph_file.h"
#include "tests/cost/graph_sketch.h"
#include "tests/cost/reference_graphs.h"

namespace overlap::test {
namespace {

/// A gathered weight, an activation that backward reads, one computed again, one that is offloaded, and a gradient that
/// is reduced.
Graph one_of_each() {
    GraphSketch sketch;
    const auto node = [&](std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                          std::int64_t bytes, bool backward, std::string_view device = "cuda") {
        NodeMetadata metadata;
        metadata.autograd_backward = backward;
        metadata.module_fqn = sketch.builder().intern("layers.0");
        const std::vector<TensorMeta> out{sketch.bytes(bytes, {}, device)};
        return sketch.builder().call(name, target, GraphSketch::values(inputs), out, metadata);
    };
    const NodeId weight = sketch.input("weight", sketch.bytes(1));
    const NodeId x = sketch.input("x", sketch.bytes(2));
    const NodeId cast = node("cast", "aten._to_copy.default", {weight}, 4, false);
    const NodeId gather = node("gather", "_c10d_functional.all_gather_into_tensor.default", {cast}, 8, false);
    const NodeId saved = node("saved", "aten.mm.default", {x, gather}, 16, false);
    const NodeId moved = node("moved", "aten.mm.default", {x, saved}, 32, false);
    const NodeId host = node("host", "ao.offload.default", {moved}, 32, false, "cpu");
    const NodeId left = node("left", "aten.mm.default", {moved}, 64, false);
    const NodeId back = node("back", "ao.reload.default", {host}, 32, true);
    const NodeId again = node("left_recomputed", "aten.mm.default", {back, left}, 128, true);
    const NodeId gradient = node("gradient", "aten.mm.default", {again, saved}, 256, true);
    const NodeId reduced = node("reduced", "_c10d_functional.reduce_scatter_tensor.default", {gradient}, 512, true);
    return sketch.finish({reduced});
}

MemoryKind kind_of(const Graph& graph, std::string_view name) {
    const StorageTable table(graph, StorageRule::corrected);
    const std::vector<MemoryKind> kinds = memory_kinds(graph, table);
    return kinds[table.held_by(graph.find(name)).front()];
}

TEST(MemoryKinds, AreFoundByWhatMovesAndWhatComputes) {
    const Graph graph = one_of_each();
    EXPECT_EQ(kind_of(graph, "weight"), MemoryKind::sharded_parameters);
    EXPECT_EQ(kind_of(graph, "x"), MemoryKind::inputs);
    EXPECT_EQ(kind_of(graph, "cast"), MemoryKind::gathered_parameters);
    EXPECT_EQ(kind_of(graph, "gather"), MemoryKind::gathered_parameters);
    EXPECT_EQ(kind_of(graph, "saved"), MemoryKind::saved_activations);
    EXPECT_EQ(kind_of(graph, "moved"), MemoryKind::offload);
    EXPECT_EQ(kind_of(graph, "back"), MemoryKind::offload);
    EXPECT_EQ(kind_of(graph, "left_recomputed"), MemoryKind::recomputed);
    EXPECT_EQ(kind_of(graph, "gradient"), MemoryKind::gradients);
    EXPECT_EQ(kind_of(graph, "reduced"), MemoryKind::gradients);
}

TEST(MemoryKinds, GathersOfSeveralAreUnpackedIntoBuffers) {
    GraphSketch sketch;
    const NodeId weight = sketch.input("weight", sketch.bytes(1));
    const NodeId whole = sketch.gather("gather", weight, 1);
    const NodeId empty = sketch.call("empty", "aten.empty.memory_format", {}, {sketch.bytes(64)});
    const NodeId view = sketch.call("view", "aten.view.default", GraphSketch::values({empty}), {sketch.bytes(64, 7)});
    sketch.call("copy", "aten.split_with_sizes_copy.out", GraphSketch::values({whole, view}), {});
    const NodeId other = sketch.call("other", "aten.empty.memory_format", {}, {sketch.bytes(64)});
    const NodeId mixed = sketch.call("mixed", "aten.empty.memory_format", {}, {sketch.bytes(64)});
    const NodeId computed = sketch.compute("computed", {whole}, 1);
    sketch.call("copy_other", "aten.copy_.default", GraphSketch::values({other, computed}), {});
    sketch.call("copy_mixed", "aten.split_with_sizes_copy.out", GraphSketch::values({whole, computed, mixed}), {});
    const Graph graph = sketch.finish({sketch.compute("mm", {empty, other, mixed}, 1)});
    EXPECT_EQ(kind_of(graph, "empty"), MemoryKind::gathered_parameters);
    EXPECT_EQ(kind_of(graph, "other"), MemoryKind::temporary);
    EXPECT_EQ(kind_of(graph, "mixed"), MemoryKind::temporary);
}

TEST(MemoryKinds, WhatBackwardMakesAndReadsIsTemporary) {
    GraphSketch sketch;
    const auto node = [&](std::string_view name, std::initializer_list<NodeId> inputs, bool backward) {
        NodeMetadata metadata;
        metadata.autograd_backward = backward;
        const std::vector<TensorMeta> out{sketch.bytes(8)};
        return sketch.builder().call(name, "aten.mm.default", GraphSketch::values(inputs), out, metadata);
    };
    const NodeId kept = node("kept", {sketch.input("x", sketch.bytes(8))}, false);
    const NodeId passing = node("passing", {kept}, true);
    const Graph graph = sketch.finish({node("gradient", {passing}, true)});
    EXPECT_EQ(kind_of(graph, "kept"), MemoryKind::saved_activations);
    EXPECT_EQ(kind_of(graph, "passing"), MemoryKind::temporary);
    EXPECT_EQ(kind_of(graph, "gradient"), MemoryKind::gradients);
}

TEST(MemoryKinds, HaveNamesAndTitles) {
    EXPECT_EQ(memory_kind_name(MemoryKind::saved_activations), "saved_activations");
    EXPECT_EQ(memory_kind_title(MemoryKind::saved_activations), "saved activations");
    EXPECT_EQ(memory_kind_title(MemoryKind::offload), "offloaded, in flight");
}

TEST(MemoryKinds, ACurveByKindAddsUpToTheProfile) {
    const Graph graph = one_of_each();
    const MemoryProfile profile = memory_profile(graph, StorageRule::corrected);
    const std::vector<BytesByKind> curve = memory_by_kind(graph);
    std::vector<std::int64_t> sums;
    for (const BytesByKind& point : curve) sums.push_back(std::accumulate(point.begin(), point.end(), std::int64_t{0}));
    EXPECT_EQ(sums, profile.points);
    EXPECT_EQ(curve.front()[static_cast<std::size_t>(MemoryKind::inputs)], 2);
    EXPECT_EQ(curve.front()[static_cast<std::size_t>(MemoryKind::sharded_parameters)], 1);
}

/// A parameter may be cast, split and gathered before a module uses it; what is further away is told without one.
TEST(MemoryKinds, AModuleIsLookedForBehindEightUsers) {
    const auto module_of_input = [](int steps) {
        GraphSketch sketch;
        NodeId last = sketch.input("weight", sketch.bytes(8));
        for (int step = 1; step < steps; ++step) {
            std::string name = "step_";
            name.append(std::to_string(step));
            last = sketch.call(name, "aten.view.default", GraphSketch::values({last}), {sketch.bytes(0)});
        }
        NodeMetadata metadata;
        metadata.module_fqn = sketch.builder().intern("layers.0");
        const std::vector<TensorMeta> out{sketch.bytes(0)};
        sketch.builder().call("uses", "aten.mm.default", GraphSketch::values({last}), out, metadata);
        const HeldMemory held = held_memory(sketch.finish(), 0);
        return held.modules.empty() ? "nothing" : held.modules.front().module;
    };
    EXPECT_EQ(module_of_input(1), "layers.0");
    EXPECT_EQ(module_of_input(8), "layers.0");
    EXPECT_EQ(module_of_input(9), "");
}

TEST(MemoryKinds, WhatIsHeldIsToldByModule) {
    const Graph graph = one_of_each();
    const MemoryProfile profile = memory_profile(graph, StorageRule::corrected);
    const HeldMemory held = held_memory(graph, peak_point(profile));
    EXPECT_EQ(held.bytes, profile.peak_bytes);
    ASSERT_EQ(held.modules.size(), 1u);  // the weight and the input are told with what uses them
    EXPECT_EQ(held.modules[0].module, "layers.0");
    EXPECT_EQ(held.modules[0].bytes, held.bytes);
}

/// By kind and by module all adds up to the profile, at every point, on real graphs.
TEST(MemoryKinds, AddUpToTheProfile) {
    int compared = 0;
    for (const auto& file : reference_graph_files()) {
        const auto graph = read_graph_file(file.string());
        if (graph->node_count() > 9'000) continue;
        const MemoryProfile profile = memory_profile(*graph, StorageRule::corrected);
        const std::vector<BytesByKind> by_kind = memory_by_kind(*graph);
        ASSERT_EQ(by_kind.size(), profile.points.size());
        for (std::size_t point = 0; point < by_kind.size(); ++point) {
            std::int64_t sum = 0;
            for (const std::int64_t bytes : by_kind[point]) sum += bytes;
            ASSERT_EQ(sum, profile.points[point]) << file << " at point " << point;
        }
        const std::size_t peak = peak_point(profile);
        const HeldMemory held = held_memory(*graph, peak);
        EXPECT_EQ(held.bytes, profile.peak_bytes);
        EXPECT_EQ(held.by_kind, by_kind[peak]) << file;
        ++compared;
    }
    EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace overlap::test
