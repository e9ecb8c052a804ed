// What boxes of the graph view hold, on a graph of two modules in both directions.

#include "core/views/box_figures.h"

#include <gtest/gtest.h>

#include "core/memory/memory_kinds.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/views/box_places.h"
#include "core/views/peak_bytes.h"
#include "core/views/timeline_of.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class BoxFiguresTest : public test::PassTest {
  protected:
    BoxFiguresTest() {
        const NodeId w = placeholder("w"), x = placeholder("x");
        const NodeId gather =
            timed("gather", "_c10d_functional.all_gather_into_tensor.default",
                  {Value::of_node(w), Value::of_integer(8), builder_.string("0")}, "layers.0", false, 2, 64);
        const NodeId full =
            timed("full", "_c10d_functional.wait_tensor.default", {Value::of_node(gather)}, "layers.0", false, 0, 64);
        const NodeId mm =
            timed("mm", "aten.mm.default", {Value::of_node(x), Value::of_node(full)}, "layers.0", false, 3, 512);
        const NodeId relu = timed("relu", "aten.relu.default", {Value::of_node(mm)}, "layers.1", false, 1, 8);
        const NodeId grad = timed("grad", "aten.mul.Tensor", {Value::of_node(relu)}, "layers.1", true, 4, 8);
        const NodeId scatter =
            timed("scatter", "_c10d_functional.reduce_scatter_tensor.default",
                  {Value::of_node(grad), builder_.string("avg"), Value::of_integer(8), builder_.string("0")},
                  "layers.0", true, 5, 1);
        const NodeId reduced =
            timed("reduced", "_c10d_functional.wait_tensor.default", {Value::of_node(scatter)}, "layers.0", true, 0, 1);
        output({reduced});
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        modules_ = std::make_unique<ModuleTree>(*graph_, ModuleSource::module_fqn);
        places_ = box_places(*graph_, *modules_);
        tree_ = std::make_unique<BoxTree>(*graph_, *modules_, places_);
    }
    NodeId timed(std::string_view name, std::string_view target, std::vector<Value> args, std::string_view module,
                 bool backward, double time_ms, std::int64_t size) {
        NodeMetadata metadata;
        metadata.estimate_ms = time_ms;
        metadata.autograd_backward = backward;
        metadata.module_fqn = builder_.intern(module);
        times_ms_.resize(builder_.node_count() + 1);
        times_ms_.back() = time_ms;
        return call(name, target, std::move(args), {size}, metadata);
    }
    std::vector<BoxFigures> figures(std::span<const NodeId> removed = {}) {
        times_ms_.resize(graph_->node_count());
        return box_figures(*graph_, *tree_, places_, times_ms_, removed);
    }
    BoxId box_of(std::string_view module, Phase phase) const {
        const BoxId box = tree_->box_of(modules_->find(module), phase);
        EXPECT_NE(box, no_box) << module;
        return box;
    }

    std::vector<double> times_ms_;
    std::unique_ptr<ModuleTree> modules_;
    BoxPlaces places_;
    std::unique_ptr<BoxTree> tree_;
};

TEST_F(BoxFiguresTest, OfAModuleAreTheSumsOfItsNodesInOneDirection) {
    const std::vector<BoxFigures> all = figures();
    const BoxFigures& forward = all[box_of("layers.0", Phase::forward)];
    EXPECT_EQ(forward.compute_ms, 3);
    EXPECT_EQ(forward.communication_ms, 2);
    EXPECT_EQ(forward.collectives, 1u);
    EXPECT_EQ(forward.gather_bytes, collective_bytes(*graph_, graph_->find("gather")));
    EXPECT_GT(forward.gather_bytes, 0);
    EXPECT_EQ(forward.scatter_bytes, 0);
    EXPECT_EQ(forward.kind, OperationKind::matrix);
    EXPECT_EQ(forward.stage, Stage::forward);
    EXPECT_TRUE(forward.has_dtype);
    const BoxFigures& backward = all[box_of("layers.0", Phase::backward)];
    EXPECT_EQ(backward.compute_ms, 0);
    EXPECT_EQ(backward.communication_ms, 5);
    EXPECT_EQ(backward.scatter_bytes, collective_bytes(*graph_, graph_->find("scatter")));
    EXPECT_EQ(backward.kind, OperationKind::collective);
    EXPECT_EQ(backward.stage, Stage::backward);
    EXPECT_EQ(all[box_of("layers.1", Phase::backward)].compute_ms, 4);
}

TEST_F(BoxFiguresTest, OfTheWholeGraphAreAllOfThem) {
    const BoxFigures whole = figures()[BoxTree::root];
    EXPECT_EQ(whole.compute_ms, 3 + 1 + 4);
    EXPECT_EQ(whole.communication_ms, 2 + 5);
    EXPECT_EQ(whole.collectives, 2u);
    EXPECT_EQ(whole.stage, Stage::backward) << "9 of 15 ms";
    const BoxFigures operation = figures()[tree_->operation_of(graph_->find("relu"))];
    EXPECT_EQ(operation.compute_ms, 1);
    EXPECT_EQ(operation.kind, OperationKind::pointwise);
}

TEST_F(BoxFiguresTest, WhatIsRemovedNeitherRunsNorCommunicates) {
    const std::vector<NodeId> removed = {graph_->find("gather")};
    const BoxFigures forward = figures(removed)[box_of("layers.0", Phase::forward)];
    EXPECT_EQ(forward.communication_ms, 0);
    EXPECT_EQ(forward.gather_bytes, 0);
    EXPECT_EQ(forward.collectives, 0u);
    EXPECT_EQ(forward.compute_ms, 3);
}

TEST_F(BoxFiguresTest, KindsOfNodesAreThoseOfTheirOperators) {
    const auto kind = [&](std::string_view name) { return operation_kind(*graph_, graph_->find(name)); };
    EXPECT_EQ(kind("w"), OperationKind::input);
    EXPECT_EQ(kind("output"), OperationKind::input);
    EXPECT_EQ(kind("gather"), OperationKind::collective);
    EXPECT_EQ(kind("full"), OperationKind::collective);
    EXPECT_EQ(kind("mm"), OperationKind::matrix);
    EXPECT_EQ(kind("relu"), OperationKind::pointwise);
}

TEST_F(BoxFiguresTest, ExposedTimeAndBytesAtThePeakAreThoseOfTheEvaluation) {
    const auto evaluation = evaluate_baseline(graph_);
    const std::vector<double> exposed = box_exposed_ms(*evaluation, *tree_);
    EXPECT_GT(exposed[BoxTree::root], 0);
    EXPECT_NEAR(exposed[BoxTree::root], evaluation->simulation.exposed_ms, 1e-9);
    EXPECT_NEAR(exposed[box_of("layers.0", Phase::forward)] + exposed[box_of("layers.0", Phase::backward)],
                evaluation->simulation.exposed_ms, 1e-9);
    const std::vector<double> bytes = box_peak_bytes(*evaluation, *tree_);
    EXPECT_EQ(bytes[BoxTree::root], static_cast<double>(evaluation->corrected_memory.peak_bytes));
    for (BoxId box = 0; box < tree_->box_count(); ++box) EXPECT_GE(bytes[box], 0) << box;
    EXPECT_GT(bytes[tree_->operation_of(0)], 0) << "the parameter, which is held all the time";
}

TEST_F(BoxFiguresTest, TheMemoryOfATimelineIsThatOfTheProfileAtTheTimesOfItsNodes) {
    const auto evaluation = evaluate_baseline(graph_);
    const auto timeline = timeline_of(*evaluation);
    const MemoryCurve& memory = timeline->memory();
    EXPECT_EQ(memory.bytes, evaluation->corrected_memory.points);
    ASSERT_EQ(memory.layers.size(), memory_kind_count);
    EXPECT_EQ(memory.layers.back(), memory.bytes) << "layers lie upon one another";
    EXPECT_EQ(memory.time_ns.front(), 0);
    EXPECT_NEAR(static_cast<double>(memory.time_ns.back()), evaluation->simulation.step_ms * 1e6, 1);
    EXPECT_TRUE(timeline_of(*evaluation, StorageRule::reference)->memory().layers.empty());
}

TEST(FirstNode, IsPlacedAndDrawnAsAnyOther) {
    GraphBuilder builder;
    NodeMetadata metadata;
    metadata.autograd_backward = true;
    metadata.estimate_ms = 2;
    builder.call("full", "aten.mm.default", {}, {}, metadata);
    builder.output({});
    const auto graph = std::make_shared<const Graph>(builder.finish({}));
    EXPECT_EQ(box_places(*graph, ModuleTree(*graph, ModuleSource::module_fqn)).backward,
              (std::vector<bool>{true, false}));
    const auto timeline = timeline_of(*evaluate_baseline(graph));
    ASSERT_EQ(timeline->lanes()[0].size(), 1u);
    EXPECT_EQ(timeline->lanes()[0].event(0), (TimeRange{0, 2'000'000}));
}

}  // namespace
}  // namespace overlap
