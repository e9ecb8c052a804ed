#include "core/layout/row_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace overlap {
namespace {

/// Two rows of three boxes, each box linked to the one at the other end.
RowGraph twisted_rows() {
    LevelGraph graph;
    graph.nodes.assign(6, {{100, 20}});
    graph.edges = {{0, 5}, {1, 4}, {2, 3}};
    return make_rows(graph, assign_ranks(graph, {}), false);
}

TEST(RowGraph, LongEdgesAreCutByBends) {
    LevelGraph graph;
    graph.nodes.assign(4, {{100, 20}});
    graph.edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
    const RowGraph rows = make_rows(graph, assign_ranks(graph, {}), false);
    EXPECT_EQ(rows.rows.size(), 4u);
    EXPECT_EQ(rows.bends[3].size(), 2u);
    EXPECT_TRUE(rows.bends[0].empty());
    for (const RowGraph::Item& item : rows.items)
        for (const std::uint32_t link : item.below) EXPECT_EQ(rows.items[link].row, item.row + 1);
    for (std::uint32_t index = 0; index < rows.items.size(); ++index) {
        for (const std::uint32_t link : rows.items[index].below) {
            const std::vector<std::uint32_t>& above = rows.items[link].above;
            EXPECT_EQ(std::ranges::count(above, index), 1) << "a link is known at both ends";
        }
    }
}

using Rows = std::vector<std::vector<std::uint32_t>>;

TEST(RowGraph, OneSweepUntwistsWhatHangsTogether) {
    LevelGraph graph;
    graph.nodes.assign(6, {{100, 20}});
    graph.edges = {{0, 3}, {1, 2}, {2, 4}, {3, 5}};
    RowGraph rows = make_rows(graph, assign_ranks(graph, {}), false);
    EXPECT_EQ(count_crossings(rows), 1u);
    reduce_crossings(rows, 1);
    EXPECT_EQ(rows.rows, (Rows{{0, 1}, {3, 2}, {5, 4}}));
}

TEST(RowGraph, ItemsThatWantTheSamePlaceKeepTheirOrder) {
    LevelGraph graph;
    graph.nodes.assign(5, {{100, 20}});
    graph.edges = {{0, 4}, {1, 2}, {1, 3}};
    RowGraph rows = make_rows(graph, assign_ranks(graph, {}), false);
    EXPECT_EQ(count_crossings(rows), 2u);
    reduce_crossings(rows, 1);
    EXPECT_EQ(rows.rows, (Rows{{0, 1}, {4, 2, 3}}));
}

/// Items of 100 pixels, row by row, with these links.
RowGraph rows_of(std::vector<std::size_t> counts, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links) {
    RowGraph rows;
    for (const std::size_t count : counts) {
        std::vector<std::uint32_t>& row = rows.rows.emplace_back();
        for (std::size_t place = 0; place < count; ++place) {
            row.push_back(static_cast<std::uint32_t>(rows.items.size()));
            const auto number = static_cast<std::uint32_t>(rows.rows.size() - 1);
            rows.items.push_back({row.back(), number, 100, 1, {}, {}});
        }
    }
    for (const auto& [upper, lower] : links) {
        rows.items[upper].below.push_back(lower);
        rows.items[lower].above.push_back(upper);
    }
    return rows;
}

TEST(RowGraph, ItemsWithoutLinksStandSideBySideAroundTheMiddle) {
    const std::vector<double> centre = assign_centres(rows_of({3}, {}), 16, 3);
    EXPECT_NEAR(centre[0], -116, 1e-9);
    EXPECT_NEAR(centre[1], 0, 1e-9);
    EXPECT_NEAR(centre[2], 116, 1e-9);
}

TEST(RowGraph, ItemsWithoutLinksGiveWayToThoseThatHaveThem) {
    // The first of two stands above the only item of the next row, and its neighbour hardly resists.
    const std::vector<double> centre = assign_centres(rows_of({2, 1}, {{0, 2}}), 16, 0);
    EXPECT_NEAR(centre[0], -58 * 0.05 / 1.05, 1e-9);
    EXPECT_NEAR(centre[1], centre[0] + 116, 1e-9);
    EXPECT_NEAR(centre[2], centre[0], 1e-9);
}

TEST(RowGraph, CrossingsAreCountedAndUntwisted) {
    RowGraph rows = twisted_rows();
    EXPECT_EQ(count_crossings(rows), 3u);
    reduce_crossings(rows, 8);
    EXPECT_EQ(count_crossings(rows), 0u);
}

TEST(RowGraph, SweepsNeverAddCrossings) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        LevelGraph graph;
        graph.nodes.assign(60, {{80, 20}});
        for (std::uint32_t to = 1; to < 60; ++to)
            for (int i = 0; i < 2; ++i) graph.edges.push_back({static_cast<std::uint32_t>(random() % to), to});
        RowGraph rows = make_rows(graph, assign_ranks(graph, {}), false);
        const std::uint64_t before = count_crossings(rows);
        reduce_crossings(rows, 8);
        EXPECT_LE(count_crossings(rows), before);
    }
}

TEST(RowGraph, AChainStandsOnOneLineAndGapsAreKept) {
    LevelGraph graph;
    graph.nodes = {{{100, 20}}, {{60, 20}}, {{140, 20}}, {{30, 20}}};
    graph.edges = {{0, 1}, {1, 2}};
    graph.edges.push_back({0, 3});
    const RowGraph rows = make_rows(graph, assign_ranks(graph, {}), false);
    const std::vector<double> centre = assign_centres(rows, 16, 8);
    const auto at = [&](std::uint32_t node) { return centre[rows.item_of_node[node]]; };
    EXPECT_NEAR(at(1), at(2), 1e-6);
    EXPECT_GE(std::abs(at(1) - at(3)), (60 + 30) / 2.0 + 16 - 1e-9);
}

}  // namespace
}  // namespace overlap
