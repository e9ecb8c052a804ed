#include "core/layout/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/layout/box_neighbours.h"
#include "tests/graph/graph_in_code.h"
#include "tests/layout/layout_fixture.h"

namespace overlap {
namespace {

using test::DrawnGraph;

/// Metadata of a node in the module `path` (a `module_fqn`).
NodeMetadata in_module(GraphBuilder& builder, std::string_view path, bool backward = false) {
    NodeMetadata metadata;
    metadata.module_fqn = builder.intern(path);
    if (backward) metadata.autograd_backward = true;
    return metadata;
}

/// A model of `layers` equal layers with a norm each, and one layer that is different in front.
std::shared_ptr<const Graph> layered_model(int layers) {
    GraphBuilder builder;
    NodeId data = test::placeholder(builder, "input");
    data = test::call(builder, "embed", "aten.embedding.default", {data}, in_module(builder, "embeddings"));
    std::vector<NodeId> saved;
    for (int layer = 0; layer < layers; ++layer) {
        const std::string path = "layers." + std::to_string(layer);
        const auto name = [&](const char* what) { return std::string(what) + "_" + std::to_string(layer); };
        const NodeId mm =
            test::call(builder, name("mm"), "aten.mm.default", {data, data}, in_module(builder, path + ".linear"));
        data = test::call(builder, name("add"), "aten.add.Tensor", {data, mm}, in_module(builder, path));
        saved.push_back(mm);
    }
    for (int layer = layers; layer-- > 0;) {
        const std::string path = "layers." + std::to_string(layer);
        const auto name = [&](const char* what) { return std::string(what) + "_" + std::to_string(layer); };
        const NodeId gradient = test::call(builder, name("mm_backward"), "aten.mm.default", {data, saved[layer]},
                                           in_module(builder, path + ".linear", true));
        NodeMetadata nowhere;
        nowhere.autograd_backward = true;
        data = test::call(builder, name("sum"), "aten.add.Tensor", {data, gradient}, nowhere);
    }
    const Value result[] = {Value::of_node(data)};
    builder.output(result);
    return std::make_shared<const Graph>(builder.finish({}));
}

TEST(BoxTree, EdgesBetweenModulesThatComeFirstMeetAtTheTop) {
    GraphBuilder builder;
    const NodeId begun = test::call(builder, "begun", "aten.full.default", {}, in_module(builder, "first"));
    const NodeId a = test::call(builder, "a", "aten.mul.Tensor", {begun, begun}, in_module(builder, "first.inner"));
    const NodeId own = test::call(builder, "own", "aten.full.default", {}, in_module(builder, "second"));
    const NodeId b = test::call(builder, "b", "aten.mul.Tensor", {a, own}, in_module(builder, "second.inner"));
    const NodeId c = test::call(builder, "c", "aten.mul.Tensor", {a, b}, {});  // of no module
    const NodeId d = test::call(builder, "d", "aten.mul.Tensor", {a, c}, in_module(builder, "second.other"));
    const Value result[] = {Value::of_node(d)};
    builder.output(result);
    const DrawnGraph drawn(std::make_shared<const Graph>(builder.finish({})));
    const BoxTree& tree = drawn.boxes;
    std::vector<std::pair<BoxId, BoxId>> edges;
    for (const LevelEdge& edge : tree.edges_in(BoxTree::root)) edges.emplace_back(edge.from, edge.to);
    EXPECT_NE(std::ranges::find(edges, std::pair(drawn.box("first"), drawn.box("second"))), edges.end());
    // What is of no module stands with the last of its inputs.
    EXPECT_TRUE(tree.is_inside(tree.operation_of(c), drawn.box("second")));
}

TEST(BoxTree, EveryNodeIsInExactlyOneOperation) {
    for (const char* file :
         {"llama3_debugmodel_fsdp8.prebucket.graph.json.gz", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz",
          "llama3_8b_fsdp64_aot_bw.graph.json.gz"}) {
        const DrawnGraph drawn(test::read_small_graph(file));
        const BoxTree& tree = drawn.boxes;
        std::set<NodeId> seen;
        for (BoxId id = 0; id < tree.box_count(); ++id) {
            const Box& box = tree.box(id);
            if (box.kind == BoxKind::operation) {
                EXPECT_TRUE(seen.insert(box.node).second);
                EXPECT_EQ(tree.operation_of(box.node), id);
                EXPECT_EQ(tree.nodes_of(id).size(), 1u);
            } else {
                ASSERT_GT(box.child_count, 0u);
                std::uint32_t nodes = 0;
                test::for_children(tree, id, [&](BoxId child) {
                    EXPECT_EQ(tree.box(child).parent, id);
                    EXPECT_TRUE(tree.is_inside(child, id));
                    nodes += tree.box(child).node_count;
                });
                EXPECT_EQ(nodes, box.node_count);
                EXPECT_LE(box.child_count, BoxTree::largest_level);
            }
        }
        EXPECT_EQ(seen.size(), drawn.graph->node_count());
        EXPECT_EQ(tree.nodes_of(BoxTree::root).size(), drawn.graph->node_count());
    }
}

TEST(BoxTree, EdgesOfAllLevelsAreTheEdgesOfTheGraph) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    // Each edge once more, by hand: at the level where the boxes around its ends part.
    struct Expected {
        std::uint32_t uses = 0;
        std::set<NodeId> tensors;
    };
    std::map<std::pair<BoxId, BoxId>, Expected> expected;
    const auto way = [&](NodeId node) {
        std::vector<BoxId> boxes;
        for (BoxId box = tree.operation_of(node); box != no_box; box = tree.box(box).parent)
            boxes.insert(boxes.begin(), box);
        return boxes;
    };
    for (NodeId node = 0; node < drawn.graph->node_count(); ++node) {
        for (const NodeId input : drawn.graph->inputs(node)) {
            const std::vector<BoxId> from = way(input), to = way(node);
            std::size_t level = 0;
            while (from[level] == to[level]) ++level;
            Expected& bundle = expected[{from[level], to[level]}];
            ++bundle.uses;
            bundle.tensors.insert(input);
        }
    }
    std::size_t found = 0;
    for (BoxId id = 0; id < tree.box_count(); ++id) {
        for (const LevelEdge& edge : tree.edges_in(id)) {
            ++found;
            EXPECT_EQ(tree.box(edge.from).parent, id);
            EXPECT_EQ(tree.box(edge.to).parent, id);
            const Expected& bundle = expected.at({edge.from, edge.to});
            EXPECT_EQ(edge.uses, bundle.uses);
            EXPECT_EQ(edge.tensors, bundle.tensors.size());
            std::int64_t bytes = 0;
            for (const NodeId tensor : bundle.tensors) bytes += drawn.graph->output_bytes(tensor);
            EXPECT_EQ(edge.bytes, bytes);
        }
    }
    EXPECT_EQ(found, expected.size());
}

TEST(BoxTree, ModulesThatOnlyLieOnTheWayHaveNoBox) {
    const DrawnGraph drawn(test::read_small_graph());
    EXPECT_NE(drawn.modules.find("layers"), ModuleTree::no_module);
    EXPECT_EQ(drawn.box("layers"), no_box);
    EXPECT_EQ(drawn.boxes.box(drawn.box("layers.0")).parent, BoxTree::root);
    EXPECT_EQ(drawn.boxes.box(drawn.box("layers.0.attention")).parent, drawn.box("layers.0"));
}

TEST(BoxTree, IdenticalLayersBecomeOneAndARun) {
    const DrawnGraph drawn(layered_model(5));
    const BoxTree& tree = drawn.boxes;
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        const BoxId first = drawn.box("layers.0", phase);
        const BoxId second = drawn.box("layers.1", phase);
        EXPECT_EQ(tree.box(first).parent, BoxTree::root);
        const BoxId run = tree.box(second).parent;
        EXPECT_EQ(tree.box(run).kind, BoxKind::run);
        EXPECT_EQ(tree.box(run).child_count, 4u);
        EXPECT_EQ(tree.modules_of_run(run), std::pair(drawn.modules.find("layers.1"), drawn.modules.find("layers.4")));
        for (int layer = 1; layer < 5; ++layer)
            EXPECT_EQ(tree.box(drawn.box("layers." + std::to_string(layer), phase)).structure,
                      tree.box(first).structure);
    }
    EXPECT_EQ(tree.box(tree.box(drawn.box("layers.1")).parent).twin,
              tree.box(drawn.box("layers.1", Phase::backward)).parent);
}

TEST(BoxTree, LayersOfOtherStructureStayByThemselves) {
    GraphBuilder builder;
    NodeId data = test::placeholder(builder, "input");
    for (int layer = 0; layer < 6; ++layer) {
        const NodeMetadata metadata = in_module(builder, "layers." + std::to_string(layer));
        const char* target = layer == 3 ? "aten.sub.Tensor" : "aten.add.Tensor";
        data = test::call(builder, "first_" + std::to_string(layer), target, {data}, metadata);
        data = test::call(builder, "second_" + std::to_string(layer), "aten.mul.Tensor", {data, data}, metadata);
    }
    const DrawnGraph drawn(std::make_shared<const Graph>(builder.finish({})));
    // 0 to 2 are alike, 3 differs, 4 and 5 are too few for a run.
    EXPECT_EQ(drawn.boxes.box(drawn.boxes.box(drawn.box("layers.1")).parent).kind, BoxKind::run);
    for (const char* alone : {"layers.0", "layers.3", "layers.4", "layers.5"})
        EXPECT_EQ(drawn.boxes.box(drawn.box(alone)).parent, BoxTree::root) << alone;
    EXPECT_NE(drawn.boxes.box(drawn.box("layers.3")).structure, drawn.boxes.box(drawn.box("layers.2")).structure);
}

TEST(BoxTree, RunsOfOtherLayersAreNotAlike) {
    GraphBuilder builder;
    NodeId data = test::placeholder(builder, "input");
    for (int layer = 0; layer < 9; ++layer) {
        const NodeMetadata metadata = in_module(builder, "layers." + std::to_string(layer));
        const char* target = layer / 3 == 1 ? "aten.sub.Tensor" : "aten.add.Tensor";
        data = test::call(builder, "first_" + std::to_string(layer), target, {data}, metadata);
        data = test::call(builder, "second_" + std::to_string(layer), "aten.mul.Tensor", {data, data}, metadata);
    }
    const DrawnGraph drawn(std::make_shared<const Graph>(builder.finish({})));
    const auto run_of = [&](const char* layer) {
        const Box& run = drawn.boxes.box(drawn.boxes.box(drawn.box(layer)).parent);
        EXPECT_EQ(run.kind, BoxKind::run) << layer;
        return run.structure;
    };
    EXPECT_NE(run_of("layers.1"), run_of("layers.4"));
    EXPECT_EQ(run_of("layers.1"), run_of("layers.7"));
}

TEST(BoxTree, DirectionsOfAModuleAreTwins) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxId forward = drawn.box("layers.0"), backward = drawn.box("layers.0", Phase::backward);
    EXPECT_EQ(drawn.boxes.box(forward).twin, backward);
    EXPECT_EQ(drawn.boxes.box(backward).twin, forward);
    EXPECT_EQ(drawn.boxes.box(forward).phase, Phase::forward);
    EXPECT_EQ(drawn.boxes.box(backward).phase, Phase::backward);
}

TEST(BoxTree, NodesWithoutAModuleAreDrawnWhereTheirInputsComeFrom) {
    const DrawnGraph drawn(layered_model(2));
    const NodeId sum = drawn.graph->find("sum_1");
    EXPECT_EQ(drawn.boxes.box(drawn.boxes.operation_of(sum)).parent, drawn.box("layers.1", Phase::backward));
    const BoxId input = drawn.boxes.operation_of(drawn.graph->find("input"));
    EXPECT_EQ(drawn.boxes.box(drawn.boxes.box(input).parent).kind, BoxKind::interface);
}

TEST(BoxTree, AGraphWithoutModulesIsCutIntoSlices) {
    GraphBuilder builder;
    NodeId data = test::placeholder(builder, "input");
    for (int i = 0; i < 1000; ++i) data = test::call(builder, "node_" + std::to_string(i), "aten.relu.default", {data});
    const DrawnGraph drawn(std::make_shared<const Graph>(builder.finish({})));
    BoxId unplaced = no_box;
    test::for_children(drawn.boxes, BoxTree::root, [&](BoxId child) {
        if (drawn.boxes.box(child).kind == BoxKind::unplaced) unplaced = child;
    });
    ASSERT_NE(unplaced, no_box);
    EXPECT_EQ(drawn.boxes.box(unplaced).child_count, 3u);
    std::uint32_t nodes = 0;
    test::for_children(drawn.boxes, unplaced, [&](BoxId slice) {
        EXPECT_EQ(drawn.boxes.box(slice).kind, BoxKind::slice);
        nodes += drawn.boxes.box(slice).node_count;
    });
    EXPECT_EQ(nodes, 1000u);
    EXPECT_EQ(first_open_boxes(drawn.boxes), std::vector<BoxId>{unplaced});
}

TEST(BoxTree, WhatABackwardGraphHasOfForwardAreItsInputs) {
    const DrawnGraph drawn(test::read_small_graph("llama3_debugmodel_fsdp8_aot_bw.graph.json.gz"));
    test::for_children(drawn.boxes, BoxTree::root, [&](BoxId child) {
        const Box& box = drawn.boxes.box(child);
        EXPECT_TRUE(box.phase == Phase::backward || box.kind == BoxKind::interface);
    });
    EXPECT_EQ(drawn.box("layers.0"), no_box);
    EXPECT_NE(drawn.box("layers.0", Phase::backward), no_box);
}

TEST(BoxTree, AnEmptyGraphHasARootAlone) {
    const DrawnGraph drawn(std::make_shared<const Graph>(GraphBuilder().finish({})));
    EXPECT_EQ(drawn.boxes.box_count(), 1u);
    EXPECT_TRUE(drawn.boxes.edges_in(BoxTree::root).empty());
    EXPECT_TRUE(first_open_boxes(drawn.boxes).empty());
}

TEST(FirstOpenBoxes, LeadToTheFirstLevelWithSeveralModules) {
    GraphBuilder builder;
    NodeId data = test::placeholder(builder, "input");
    for (const char* path : {"model.decoder.first", "model.decoder.second", "model.decoder"})
        data = test::call(builder, "call_" + std::string(path).substr(6), "aten.relu.default", {data},
                          in_module(builder, path));
    data = test::call(builder, "whole", "aten.relu.default", {data}, in_module(builder, "model"));
    const DrawnGraph drawn(std::make_shared<const Graph>(builder.finish({})));
    EXPECT_EQ(first_open_boxes(drawn.boxes), (std::vector<BoxId>{drawn.box("model"), drawn.box("model.decoder")}));
}

TEST(BoxNeighbours, AreWhatEntersAndLeavesTheBoxExactly) {
    const DrawnGraph drawn(layered_model(3));
    const BoxTree& tree = drawn.boxes;
    const auto top = [&](BoxId box) {
        while (tree.box(box).parent != BoxTree::root) box = tree.box(box).parent;
        return box;
    };
    const BoxId embeddings = drawn.box("embeddings"), first = drawn.box("layers.0");
    const BoxNeighbours neighbours = neighbours_of(*drawn.graph, tree, first, top);
    ASSERT_EQ(neighbours.incoming.size(), 1u);
    EXPECT_EQ(neighbours.incoming[0].from, embeddings);
    EXPECT_EQ(neighbours.incoming[0].to, first);
    EXPECT_EQ(neighbours.incoming[0].tensors, 1u);
    EXPECT_EQ(neighbours.incoming[0].uses, 2u);  // by the product, in both places at once, and by the sum
    EXPECT_EQ(neighbours.incoming[0].bytes, 16);
    // The sum goes on to the rest of the layers, the product is saved for the backward pass.
    std::set<BoxId> targets;
    for (const LevelEdge& edge : neighbours.outgoing) targets.insert(edge.to);
    EXPECT_EQ(targets, (std::set<BoxId>{top(drawn.box("layers.1")), drawn.box("layers.0", Phase::backward)}));
}

}  // namespace
}  // namespace overlap
