#include "core/layout/arrangement.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/layout/layout_fixture.h"

namespace overlap {
namespace {

using test::DrawnGraph;
using Open = std::unordered_set<BoxId>;

/// Lays levels out as the real engine does, and counts them.
class CountingEngine : public LayoutEngine {
  public:
    LevelLayout layout(const LevelGraph& graph, std::stop_token stop = {}) const override {
        ++count;
        return LayeredEngine().layout(graph, stop);
    }
    mutable int count = 0;
};

Open some_open(const BoxTree& tree, unsigned seed) {
    std::mt19937 random(seed);
    Open open;
    for (BoxId box = 1; box < tree.box_count(); ++box)
        if (tree.has_children(box) && random() % 3 == 0) open.insert(box);
    return open;
}

TEST(Arrangement, ChildrenLieInsideTheirBoxAndSiblingsApart) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    const ArrangementOptions options = test::plain_sizes(tree);
    for (unsigned seed = 0; seed < 5; ++seed) {
        const Open open = some_open(tree, seed);
        LayoutCache cache;
        const auto arrangement = arrange(tree, open, options, LayeredEngine(), cache);
        std::vector<BoxId> groups{BoxTree::root};
        for (const PlacedBox& placed : arrangement->boxes) {
            EXPECT_EQ(placed.open, open.contains(placed.box));
            if (placed.open) groups.push_back(placed.box);
            if (const BoxId parent = tree.box(placed.box).parent; parent != BoxTree::root) {
                const PlacedBox* around = arrangement->find(parent);
                ASSERT_NE(around, nullptr);
                EXPECT_TRUE(around->open);
                EXPECT_EQ(around->depth + 1, placed.depth);
                EXPECT_GE(placed.rect.x, around->rect.x + options.padding - 1);
                EXPECT_LE(placed.rect.right(), around->rect.right() - options.padding + 1);
                EXPECT_GE(placed.rect.y, around->rect.y + options.header_height);
                EXPECT_LE(placed.rect.bottom(), around->rect.bottom() - options.padding + 1);
            }
        }
        for (const BoxId group : groups)
            test::for_children(tree, group, [&](BoxId a) {
                test::for_children(tree, group, [&](BoxId b) {
                    const bool apart = !arrangement->find(a)->rect.intersects(arrangement->find(b)->rect);
                    EXPECT_TRUE(a == b || apart);
                });
            });
    }
}

TEST(Arrangement, EveryEdgeOfAnOpenLevelIsDrawnOrAStub) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    const Open open = some_open(tree, 1);
    LayoutCache cache;
    const auto arrangement = arrange(tree, open, test::plain_sizes(tree), LayeredEngine(), cache);
    std::uint64_t uses = 0, tensors = 0, out_uses = 0, in_uses = 0;
    std::int64_t bytes = 0, out_bytes = 0;
    for (const PlacedEdge& edge : arrangement->edges) {
        uses += edge.edge.uses;
        tensors += edge.edge.tensors;
        bytes += edge.edge.bytes;
    }
    for (const PlacedBox& placed : arrangement->boxes) {
        out_uses += placed.stubs_out.uses;
        in_uses += placed.stubs_in.uses;
        tensors += placed.stubs_out.tensors;
        out_bytes += placed.stubs_out.bytes;
    }
    std::uint64_t all_uses = 0, all_tensors = 0;
    std::int64_t all_bytes = 0;
    for (const PlacedLevel& level : arrangement->levels)
        for (const LevelEdge& edge : tree.edges_in(level.box)) {
            all_uses += edge.uses;
            all_tensors += edge.tensors;
            all_bytes += edge.bytes;
        }
    EXPECT_EQ(out_uses, in_uses);
    EXPECT_EQ(uses + out_uses, all_uses);
    EXPECT_EQ(tensors, all_tensors);
    EXPECT_EQ(bytes + out_bytes, all_bytes);
    EXPECT_GT(out_uses, 0u);
}

TEST(Arrangement, IdenticalLayersAreLaidOutOnceAndAlike) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    const BoxId first = drawn.box("layers.1"), second = drawn.box("layers.2");
    ASSERT_EQ(tree.box(first).structure, tree.box(second).structure);
    Open open{tree.box(first).parent, tree.box(second).parent, first};
    LayoutCache cache;
    const CountingEngine engine;
    const ArrangementOptions options = test::plain_sizes(tree);
    arrange(tree, open, options, engine, cache);
    const int before = engine.count;
    open.insert(second);
    const auto arrangement = arrange(tree, open, options, engine, cache);
    // The run and what is around it changed, the layer itself is there already.
    EXPECT_LE(engine.count - before, 2);
    for (std::uint32_t i = 0; i < tree.box(first).child_count; ++i) {
        const LayoutRect a = arrangement->find(tree.box(first).first_child + i)->rect;
        const LayoutRect b = arrangement->find(tree.box(second).first_child + i)->rect;
        const LayoutRect around_a = arrangement->find(first)->rect, around_b = arrangement->find(second)->rect;
        EXPECT_EQ(a.width, b.width);
        EXPECT_DOUBLE_EQ(a.x - around_a.x, b.x - around_b.x);
        EXPECT_DOUBLE_EQ(a.y - around_a.y, b.y - around_b.y);
    }
}

TEST(Arrangement, OpeningABoxLaysOutItsLevelAndThoseAroundIt) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    const ArrangementOptions options = test::plain_sizes(tree);
    LayoutCache cache;
    const CountingEngine engine;
    Open open{drawn.box("layers.0"), drawn.box("layers.0", Phase::backward)};
    arrange(tree, open, options, engine, cache);
    EXPECT_EQ(engine.count, 3);
    open.insert(drawn.box("layers.0.attention"));
    const auto opened = arrange(tree, open, options, engine, cache);
    EXPECT_EQ(engine.count, 6);  // the box, its layer, the root; not the other direction's layer
    open.erase(drawn.box("layers.0.attention"));
    arrange(tree, open, options, engine, cache);
    EXPECT_EQ(engine.count, 6);  // closing again costs nothing
    EXPECT_NE(opened->find(drawn.box("layers.0.attention")), nullptr);
}

TEST(Arrangement, IsTheSameEveryTime) {
    const DrawnGraph drawn(test::read_small_graph());
    const Open open = some_open(drawn.boxes, 2);
    LayoutCache cache, other_cache;
    const ArrangementOptions options = test::plain_sizes(drawn.boxes);
    const auto one = arrange(drawn.boxes, open, options, LayeredEngine(), cache);
    const auto other = arrange(drawn.boxes, open, options, LayeredEngine(), other_cache);
    ASSERT_EQ(one->boxes.size(), other->boxes.size());
    for (std::size_t i = 0; i < one->boxes.size(); ++i) EXPECT_EQ(one->boxes[i].rect, other->boxes[i].rect);
    EXPECT_EQ(one->points, other->points);
}

TEST(Arrangement, FindsTheInnermostBoxAtAPointAndTheShownOneAround) {
    const DrawnGraph drawn(test::read_small_graph());
    const BoxTree& tree = drawn.boxes;
    const BoxId layer = drawn.box("layers.0"), attention = drawn.box("layers.0.attention");
    LayoutCache cache;
    const auto arrangement = arrange(tree, {layer}, test::plain_sizes(tree), LayeredEngine(), cache);
    EXPECT_EQ(arrangement->at(arrangement->find(attention)->rect.centre()), attention);
    const LayoutRect around = arrangement->find(layer)->rect;
    EXPECT_EQ(arrangement->at({around.x + 2, around.y + 2}), layer);
    EXPECT_EQ(arrangement->at({-50, -50}), no_box);
    EXPECT_EQ(arrangement->shown(tree, tree.box(attention).first_child), attention);
    EXPECT_EQ(arrangement->shown(tree, attention), attention);
}

}  // namespace
}  // namespace overlap
