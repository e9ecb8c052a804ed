#include "core/layout/level_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/layout/routes.h"

namespace overlap {
namespace {

LayoutRect rect(const LevelGraph& graph, const LevelLayout& layout, std::uint32_t node) {
    return {layout.positions[node].x, layout.positions[node].y, graph.nodes[node].size.width,
            graph.nodes[node].size.height};
}

void expect_no_overlap(const LevelGraph& graph, const LevelLayout& layout) {
    for (std::uint32_t a = 0; a < graph.nodes.size(); ++a) {
        const LayoutRect box = rect(graph, layout, a);
        EXPECT_GE(box.x, 0);
        EXPECT_GE(box.y, 0);
        EXPECT_LE(box.right(), layout.size.width + 1e-6);
        EXPECT_LE(box.bottom(), layout.size.height + 1e-6);
        for (std::uint32_t b = a + 1; b < graph.nodes.size(); ++b)
            EXPECT_FALSE(box.intersects(rect(graph, layout, b))) << a << " and " << b;
    }
}

LevelGraph random_level(unsigned seed, std::uint32_t nodes, bool columns) {
    std::mt19937 random(seed);
    LevelGraph graph;
    for (std::uint32_t node = 0; node < nodes; ++node)
        graph.nodes.push_back({{40.0 + random() % 160, 20.0 + random() % 200}, columns && node >= nodes / 2});
    if (columns)  // twins in reverse, as backward runs
        for (std::uint32_t node = 0; node < nodes / 2; node += 1 + random() % 3)
            graph.nodes[nodes - 1 - node].twin = node;
    for (std::uint32_t i = 0; i < nodes * 2; ++i) {
        const auto from = static_cast<std::uint32_t>(random() % nodes),
                   to = static_cast<std::uint32_t>(random() % nodes);
        if (from != to) graph.edges.push_back({from, to});
    }
    return graph;
}

TEST(LayeredEngine, BoxesNeverOverlap) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        const LevelGraph graph = random_level(seed, 10 + seed * 3, seed % 2 == 1);
        expect_no_overlap(graph, LayeredEngine().layout(graph));
    }
}

TEST(LayeredEngine, EqualGraphsGetEqualLayouts) {
    const LevelGraph graph = random_level(3, 80, true);
    EXPECT_EQ(LayeredEngine().layout(graph), LayeredEngine().layout(random_level(3, 80, true)));
    EXPECT_EQ(level_key(graph), level_key(random_level(3, 80, true)));
    EXPECT_NE(level_key(graph), level_key(random_level(4, 80, true)));
}

TEST(LayeredEngine, ForwardFlowsDownAndBackwardUp) {
    LevelGraph graph;
    for (int i = 0; i < 3; ++i) graph.nodes.push_back({{100, 40}});
    for (std::uint32_t i = 0; i < 3; ++i) graph.nodes.push_back({{100, 40}, true, 2 - i});
    graph.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    EXPECT_LT(layout.positions[0].y, layout.positions[1].y);
    EXPECT_LT(layout.positions[1].y, layout.positions[2].y);
    for (std::uint32_t backward = 3; backward < 6; ++backward) {
        EXPECT_EQ(layout.positions[backward].y, layout.positions[5 - backward].y) << "beside its twin";
        EXPECT_GE(layout.positions[backward].x, rect(graph, layout, 5 - backward).right());
    }
    // What is saved for the backward pass goes straight across.
    EXPECT_EQ(layout.routes[5].style, RouteStyle::drawn);
    EXPECT_EQ(layout.routes[5].points.front().x, rect(graph, layout, 0).right());
    EXPECT_EQ(layout.routes[5].points.back().x, rect(graph, layout, 5).x);
    // Backward arrows leave at the top and arrive at the bottom.
    EXPECT_EQ(layout.routes[3].points.front().y, layout.positions[3].y);
    EXPECT_EQ(layout.routes[3].points.back().y, rect(graph, layout, 4).bottom());
}

TEST(LayeredEngine, ALevelOfBackwardBoxesAloneFlowsUp) {
    LevelGraph graph;
    graph.nodes.assign(3, {{100, 40}, true});
    graph.edges = {{0, 1}, {1, 2}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    EXPECT_GT(layout.positions[0].y, layout.positions[1].y);
    EXPECT_GT(layout.positions[1].y, layout.positions[2].y);
    EXPECT_EQ(layout.positions[0].x, layout.positions[2].x);
}

TEST(LayeredEngine, InputsAreNoColumnThatBackwardStandsBeside) {
    LevelGraph graph;
    graph.nodes.assign(5, {{100, 40}, true});
    graph.nodes[0] = {{100, 40}, false, LevelGraph::no_node, true};
    graph.edges = {{1, 2}, {2, 3}, {3, 4}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    for (std::uint32_t node = 1; node < 4; ++node) {
        EXPECT_GT(layout.positions[node].y, layout.positions[node + 1].y);
        EXPECT_EQ(layout.positions[node].x, layout.positions[node + 1].x);
    }
    EXPECT_LT(layout.positions[0].y, layout.positions[4].y);
    expect_no_overlap(graph, layout);
}

TEST(LayeredEngine, BackwardBoxesWithoutTwinsRiseAboveTheForwardColumn) {
    LevelGraph graph;
    graph.nodes.assign(7, {{100, 40}, true});
    graph.nodes[0] = graph.nodes[1] = {{100, 40}};
    graph.nodes[2].twin = 1;
    graph.edges = {{0, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    EXPECT_EQ(layout.positions[2].y, layout.positions[1].y);
    EXPECT_EQ(layout.positions[3].y, layout.positions[0].y);
    for (std::uint32_t node = 2; node < 6; ++node) EXPECT_GT(layout.positions[node].y, layout.positions[node + 1].y);
    expect_no_overlap(graph, layout);
}

TEST(LayeredEngine, DrawnEdgesStartAndEndAtTheirBoxes) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        const LevelGraph graph = random_level(seed, 40, seed % 2 == 1);
        const LevelLayout layout = LayeredEngine().layout(graph);
        for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
            const EdgeRoute& route = layout.routes[edge];
            if (route.style == RouteStyle::stub) {
                EXPECT_TRUE(route.points.empty());
                continue;
            }
            ASSERT_EQ(route.points.size() % 3, 1u);
            const auto on_border = [&](LayoutPoint point, std::uint32_t node) {
                const LayoutRect box = rect(graph, layout, node);
                const bool inside = point.x >= box.x - 1e-6 && point.x <= box.right() + 1e-6 &&
                                    point.y >= box.y - 1e-6 && point.y <= box.bottom() + 1e-6;
                const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
                return inside && (near(point.x, box.x) || near(point.x, box.right()) || near(point.y, box.y) ||
                                  near(point.y, box.bottom()));
            };
            EXPECT_TRUE(on_border(route.points.front(), graph.edges[edge].from)) << seed << ": " << edge;
            EXPECT_TRUE(on_border(route.points.back(), graph.edges[edge].to)) << seed << ": " << edge;
        }
    }
}

TEST(RouteBeside, BowsPastTheCornersOfBothBoxes) {
    const LayoutRect narrow{80, 100, 140, 48}, wide{160, 20, 140, 48};
    for (const bool up : {true, false}) {
        const std::vector<LayoutPoint> points = route_beside(up ? narrow : wide, up ? wide : narrow, 16);
        for (double share = 0.02; share < 0.985; share += 0.02) {
            const double rest = 1 - share;
            const double weights[]{rest * rest * rest, 3 * rest * rest * share, 3 * rest * share * share,
                                   share * share * share};
            LayoutPoint at;
            for (std::size_t i = 0; i < 4; ++i) {
                at.x += weights[i] * points[i].x;
                at.y += weights[i] * points[i].y;
            }
            EXPECT_FALSE(wide.contains(at) || narrow.contains(at)) << up << ' ' << share;
        }
    }
}

TEST(LayeredEngine, EdgesOverManyRanksBecomeStubs) {
    LevelGraph graph;
    graph.nodes.assign(12, {{100, 40}});
    for (std::uint32_t node = 0; node + 1 < 12; ++node) graph.edges.push_back({node, node + 1});
    graph.edges.push_back({0, 8});
    graph.edges.push_back({0, 9});
    const LevelLayout layout = LayeredEngine().layout(graph);
    EXPECT_EQ(layout.routes[11].style, RouteStyle::drawn);
    EXPECT_EQ(layout.routes[12].style, RouteStyle::stub);
}

TEST(LayeredEngine, BroadcastsBecomeStubsAndDoNotStretchTheLayout) {
    LevelGraph graph;
    graph.nodes.assign(13, {{100, 40}});  // a table that is used by each of a chain of twelve
    for (std::uint32_t node = 1; node + 1 < 13; ++node) graph.edges.push_back({node, node + 1});
    const std::size_t chain = graph.edges.size();
    for (std::uint32_t node = 1; node < 13; ++node) graph.edges.push_back({0, node});
    const LevelLayout layout = LayeredEngine().layout(graph);
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
        EXPECT_EQ(layout.routes[edge].style == RouteStyle::stub, edge >= chain) << edge;
    for (std::uint32_t node = 2; node < 13; ++node) EXPECT_EQ(layout.positions[node].x, layout.positions[1].x);
    expect_no_overlap(graph, layout);
}

/// The first of a chain of twelve, which makes what all others read, is on the flow itself.
TEST(LayeredEngine, TheFlowGoesOnThroughABoxThatAllOthersRead) {
    LevelGraph graph;
    graph.nodes.assign(13, {{100, 40}});
    for (std::uint32_t node = 0; node + 1 < 13; ++node) graph.edges.push_back({node, node + 1});
    const std::size_t chain = graph.edges.size();
    for (std::uint32_t node = 3; node < 13; ++node) graph.edges.push_back({1, node});
    const LevelLayout layout = LayeredEngine().layout(graph);
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
        EXPECT_EQ(layout.routes[edge].style == RouteStyle::stub, edge >= chain) << edge;
    for (std::uint32_t node = 1; node < 13; ++node) EXPECT_EQ(layout.positions[node].x, layout.positions[0].x);
}

TEST(LayeredEngine, AWideFanWithinFewRanksIsDrawn) {
    LevelGraph graph;
    graph.nodes.assign(13, {{100, 40}});
    for (std::uint32_t node = 1; node < 13; ++node) graph.edges.push_back({0, node});
    for (const EdgeRoute& route : LayeredEngine().layout(graph).routes) EXPECT_EQ(route.style, RouteStyle::drawn);
}

TEST(LayeredEngine, BoxesWithoutEdgesStandInLinesAboveTheOthers) {
    LevelGraph graph;
    graph.nodes.assign(52, {{100, 40}});
    graph.edges = {{50, 51}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    expect_no_overlap(graph, layout);
    for (std::uint32_t node = 0; node < 50; ++node) EXPECT_LT(layout.positions[node].y, layout.positions[50].y);
    EXPECT_LT(layout.size.width, 50 * 100 / 3);
}

TEST(LayeredEngine, LinesOfBoxesWithStubsLeaveRoomForTheStubs) {
    LevelGraph graph;
    graph.nodes.assign(2, {{200, 48}});
    graph.nodes[0].apart = true;
    graph.edges = {{0, 1}, {1, 0}};
    const LevelLayout layout = LayeredEngine().layout(graph);
    EXPECT_GE(layout.positions[1].y - rect(graph, layout, 0).bottom(), LevelLayoutOptions().row_gap);
}

TEST(LayeredEngine, LevelsOfNothingHaveNoSize) {
    EXPECT_EQ(LayeredEngine().layout({}).size, LayoutSize{});
}

TEST(LayeredEngine, StopsWhenAsked) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(LayeredEngine().layout(random_level(1, 50, false), stop.get_token()).routes.size(),
              random_level(1, 50, false).edges.size());
}

}  // namespace
}  // namespace overlap
