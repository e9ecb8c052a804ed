#include "core/memory/memory_profile.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

using Points = std::vector<std::int64_t>;

class Memory : public ::testing::Test {
  protected:
    NodeId node(std::string_view name, std::initializer_list<NodeId> inputs, const TensorMeta& output) {
        return sketch.call(name, "aten.relu.default", GraphSketch::values(inputs), {output});
    }

    GraphSketch sketch;
};

TEST_F(Memory, PlaceholdersStayAndResultsGoAfterTheirLastUse) {
    const NodeId x = sketch.input("x", sketch.bytes(100));
    const NodeId a = node("a", {x}, sketch.bytes(10));
    const NodeId b = node("b", {a}, sketch.bytes(20));
    const NodeId c = node("c", {a}, sketch.bytes(5));
    const Graph graph = sketch.finish({b, c});
    const MemoryProfile profile = memory_profile(graph, StorageRule::reference);
    EXPECT_EQ(profile.points, (Points{100, 110, 110, 130, 130, 135, 125}));
    EXPECT_EQ(profile.peak_bytes, 135);
    EXPECT_EQ(profile.peak_node, c);
    EXPECT_EQ(profile.while_node, (Points{100, 110, 130, 135, 125}));  // the last is output's
}

TEST_F(Memory, WhatNothingUsesAndWhatTheGraphReturnsStays) {
    const NodeId x = sketch.input("x", sketch.bytes(100));
    node("unused", {x}, sketch.bytes(10));
    const NodeId returned = node("returned", {x}, sketch.bytes(20));
    node("last", {returned}, sketch.bytes(1));
    const Graph graph = sketch.finish({returned});
    EXPECT_EQ(memory_profile(graph, StorageRule::reference).points.back(), 131);
}

TEST_F(Memory, ViewsShareAndKeepTheirBaseAlive) {
    const NodeId x = sketch.input("x", sketch.bytes(100, 50));
    const NodeId a = node("a", {x}, sketch.bytes(10, 51));
    const NodeId view = node("view", {a}, sketch.bytes(10, 51));
    const NodeId b = node("b", {x}, sketch.bytes(7, 52));
    node("last", {view, b}, sketch.bytes(1, 53));
    const Graph graph = sketch.finish();
    EXPECT_EQ(memory_profile(graph, StorageRule::reference).points,
              (Points{100, 110, 110, 110, 110, 117, 117, 118, 101}));
}

TEST_F(Memory, AttributesAreThereFromTheStartAndCanBeReleased) {
    const NodeId attribute = sketch.get_attr("constant", "constant");
    const NodeId a = node("a", {attribute}, sketch.bytes(10));
    EXPECT_EQ(memory_profile(sketch.finish({a}), StorageRule::reference).points, (Points{0, 10, 10}));

    GraphSketch other;
    const NodeId constant = other.get_attr("constant", "constant", other.bytes(40));
    const NodeId b = other.call("b", "aten.relu.default", GraphSketch::values({constant}), {other.bytes(10)});
    EXPECT_EQ(memory_profile(other.finish({b}), StorageRule::reference).points, (Points{40, 50, 10}));
}

TEST_F(Memory, CpuMemoryDoesNotCount) {
    const NodeId x = sketch.input("x", sketch.bytes(100, {}, "cpu"));
    const NodeId a = node("a", {x}, sketch.bytes(10));
    node("b", {a}, sketch.bytes(3, {}, "cpu"));
    EXPECT_EQ(memory_profile(sketch.finish(), StorageRule::reference).points, (Points{0, 10, 10, 10, 0}));
}

TEST_F(Memory, OneNumberOnTwoDevicesIsTwoStorages) {
    const NodeId x = sketch.input("x", sketch.bytes(100, 1, "cuda"));
    node("a", {x}, sketch.bytes(10, 1, "xpu"));
    node("b", {x}, sketch.bytes(10, 1, "xpu"));
    EXPECT_EQ(memory_profile(sketch.finish(), StorageRule::reference).points, (Points{100, 110, 110, 110, 110}));
}

TEST_F(Memory, HugeStorageNumbersAreFine) {
    const NodeId x = sketch.input("x", sketch.bytes(100, 4'000'000'000u));
    const NodeId a = node("a", {x}, sketch.bytes(10, 4'000'000'001u));
    node("b", {a}, sketch.bytes(10, 4'000'000'000u));
    EXPECT_EQ(memory_profile(sketch.finish(), StorageRule::reference).points, (Points{100, 110, 110, 110, 100}));
}

TEST_F(Memory, RecomputedNodesHaveStoragesOfTheirOwnWhenCorrected) {
    // `again` recomputes `a` and carries its storage number, so the reference takes `a` to live from start to end.
    const NodeId x = sketch.input("x", sketch.bytes(100, 0));
    const NodeId a = node("a", {x}, sketch.bytes(10, 1));
    const NodeId b = node("b", {a}, sketch.bytes(50, 2));
    const NodeId c = node("c", {b}, sketch.bytes(1, 3));
    const NodeId again = node("again", {x}, sketch.bytes(10, 1));
    const NodeId view = node("view", {again}, sketch.bytes(10, 1));
    node("last", {view, c}, sketch.bytes(1, 4));
    const Graph graph = sketch.finish();
    const MemoryProfile reference = memory_profile(graph, StorageRule::reference);
    const MemoryProfile corrected = memory_profile(graph, StorageRule::corrected);
    EXPECT_EQ(reference.points, (Points{100, 110, 110, 160, 160, 161, 111, 111, 111, 111, 111, 112, 101}));
    EXPECT_EQ(corrected.points, (Points{100, 110, 110, 160, 150, 151, 101, 111, 111, 111, 111, 112, 100}));
}

TEST_F(Memory, InPlaceResultsShareWithTheirInputWhenCorrected) {
    const NodeId x = sketch.input("x", sketch.bytes(100, 0));
    const NodeId buffer = node("buffer", {}, sketch.bytes(30, 1));
    const NodeId filled =
        sketch.call("filled", "aten.copy_.default", GraphSketch::values({buffer, x}), {sketch.bytes(30, 1)});
    node("last", {filled}, sketch.bytes(1, 2));
    EXPECT_EQ(memory_profile(sketch.finish(), StorageRule::corrected).peak_bytes, 131);
}

TEST_F(Memory, PlaceholdersOfOneStorageShareItByEitherRule) {
    const NodeId base = sketch.input("base", sketch.bytes(100, 0));
    const NodeId view = sketch.input("view", sketch.bytes(100, 0));
    node("a", {base, view}, sketch.bytes(10, 1));
    const Graph graph = sketch.finish();
    EXPECT_EQ(memory_profile(graph, StorageRule::reference).peak_bytes, 110);
    EXPECT_EQ(memory_profile(graph, StorageRule::corrected).peak_bytes, 110);
}

TEST_F(Memory, AGraphThatOnlyHoldsItsInputsPeaksAtTheStart) {
    sketch.input("x", sketch.bytes(100));
    const MemoryProfile profile = memory_profile(sketch.finish(), StorageRule::reference);
    EXPECT_EQ(profile.peak_bytes, 100);
    EXPECT_EQ(profile.peak_node, no_node);
}

/// torch's stand-alone bucketing leaves graphs so until they are sorted.
TEST_F(Memory, NodesMayStandBeforeTheirInputs) {
    const NodeId x = sketch.input("x", sketch.bytes(100));
    const NodeId late = node("late", {x}, sketch.bytes(10, 51));
    const NodeId view = node("view", {late}, sketch.bytes(10, 51));
    node("last", {view}, sketch.bytes(1, 52));
    GraphEditor editor(std::make_shared<const Graph>(sketch.finish()));
    editor.move_before(view, late);
    std::vector<NodeId> origin;
    const std::shared_ptr<const Graph> unsorted = editor.finish(origin);
    EXPECT_EQ(memory_profile(*unsorted, StorageRule::reference).peak_bytes, 111);
    // What stands before its input has memory of its own; of that input nothing is left to consume.
    EXPECT_EQ(memory_profile(*unsorted, StorageRule::corrected).points, (Points{100, 110, 110, 120, 110, 111, 100}));
}

}  // namespace
}  // namespace overlap::test
