// Ranks of small levels, how their edges are drawn, and which boxes stand alone.

#include "core/layout/layering.h"

#include <gtest/gtest.h>

#include "core/layout/routes.h"

namespace overlap {
namespace {

using Use = Layering::Use;
using Ranks = std::vector<std::uint32_t>;

LevelGraph level_of(std::uint32_t forward, std::uint32_t backward, std::vector<LevelGraph::Edge> edges) {
    LevelGraph graph;
    graph.nodes.assign(forward, {{100, 40}});
    graph.nodes.insert(graph.nodes.end(), backward, {{100, 40}, true});
    graph.edges = std::move(edges);
    return graph;
}

TEST(Layering, RanksFollowTheLongestPath) {
    const Layering found = assign_ranks(level_of(5, 0, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {4, 3}}), {});
    EXPECT_EQ(found.rank, (Ranks{0, 1, 2, 3, 0}));
    EXPECT_EQ(found.rank_count, 4u);
    EXPECT_EQ(found.use[2], Use::flowing);
    EXPECT_EQ(found.use[4], Use::beside);  // against the order of execution
}

TEST(Layering, WhatOnlyFeedsOthersComesDownToWhereItIsNeeded) {
    const Layering found = assign_ranks(level_of(5, 0, {{0, 1}, {1, 2}, {2, 4}, {3, 4}}), {});
    EXPECT_EQ(found.rank, (Ranks{0, 1, 2, 2, 3}));
}

TEST(Layering, EdgesThatAreNotDrawnRankNothing) {
    LevelGraph graph = level_of(7, 0, {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}});
    graph.nodes[0].apart = true;
    const Layering found = assign_ranks(graph, {});
    EXPECT_EQ(found.use[0], Use::stub);
    EXPECT_TRUE(found.alone[0]);
    EXPECT_EQ(Ranks(found.rank.begin() + 1, found.rank.end()), (Ranks{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(found.rank_count, 3u);
}

TEST(Layering, BackwardBoxesAloneAreRankedUpwards) {
    std::vector<LevelGraph::Edge> edges;
    for (std::uint32_t node = 0; node + 1 < 10; ++node) edges.push_back({node, node + 1});
    edges.push_back({0, 8});
    edges.push_back({0, 9});
    const Layering found = assign_ranks(level_of(0, 10, std::move(edges)), {});
    EXPECT_EQ(found.rank, (Ranks{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(found.use[9], Use::flowing);  // as many ranks as an edge may go over
    EXPECT_EQ(found.use[10], Use::stub);
}

TEST(Layering, EdgesAcrossTheColumnsAreDrawnWithinARank) {
    LevelGraph graph = level_of(3, 3, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {1, 4}, {0, 4}, {2, 3}});
    for (std::uint32_t node = 3; node < 6; ++node) graph.nodes[node].twin = 5 - node;
    const Layering found = assign_ranks(graph, {});
    EXPECT_EQ(found.rank, (Ranks{0, 1, 2, 2, 1, 0}));
    EXPECT_EQ(found.use[4], Use::beside);
    EXPECT_EQ(found.use[5], Use::stub);
    EXPECT_EQ(found.use[6], Use::beside);
}

TEST(Layering, ShortEdgesAgainstTheFlowAreDrawnBeside) {
    std::vector<LevelGraph::Edge> edges;
    for (std::uint32_t node = 0; node + 1 < 10; ++node) edges.push_back({node, node + 1});
    edges.push_back({2, 1});
    edges.push_back({8, 0});
    edges.push_back({9, 0});
    const Layering found = assign_ranks(level_of(10, 0, std::move(edges)), {});
    EXPECT_EQ(found.use[9], Use::beside);
    EXPECT_EQ(found.use[10], Use::beside);
    EXPECT_EQ(found.use[11], Use::stub);  // over nine ranks
}

TEST(Layering, TwinsStandTogetherAndNotAlone) {
    LevelGraph graph = level_of(3, 1, {{0, 1}});
    graph.nodes[3].twin = 2;
    const Layering found = assign_ranks(graph, {});
    EXPECT_FALSE(found.alone[2]);
    EXPECT_FALSE(found.alone[3]);
    EXPECT_EQ(found.rank[2], found.rank[3]);
    EXPECT_TRUE(assign_ranks(level_of(3, 0, {{0, 1}}), {}).alone[2]);
}

TEST(LayeredEngine, EdgesOverBoxesGoAroundThem) {
    for (const bool backward : {false, true}) {
        const LevelGraph graph =
            backward ? level_of(0, 3, {{0, 1}, {1, 2}, {0, 2}}) : level_of(3, 0, {{0, 1}, {1, 2}, {0, 2}});
        const LevelLayout layout = LayeredEngine().layout(graph);
        const LayoutRect between{layout.positions[1].x, layout.positions[1].y, 100, 40};
        EXPECT_GT(layout.routes[2].points.size(), 4u);
        for (const LayoutPoint& point : layout.routes[2].points) EXPECT_FALSE(between.contains(point));
    }
}

TEST(RouteBeside, LeavesABoxRightBelowAnotherToTheRight) {
    const LayoutRect above{0, 0, 100, 40}, below{0, 100, 100, 40};
    const std::vector<LayoutPoint> points = route_beside(below, above, 16);
    EXPECT_EQ(points.front().x, 100);
    EXPECT_EQ(points.back().x, 100);
    EXPECT_EQ(points[1].x, 100 + 1.5 * 16);
    const LayoutRect left{-200, 100, 100, 40};
    EXPECT_EQ(route_beside(above, left, 16).front().x, 0);
    EXPECT_EQ(route_beside(above, left, 16).back().x, -100);
}

}  // namespace
}  // namespace overlap
