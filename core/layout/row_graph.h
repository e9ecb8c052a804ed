#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/layering.h"
#include "core/layout/level_layout.h"

namespace overlap {

/// One column of a level, row by row. Edges over several rows are cut by bends, so that every link connects
/// neighbouring rows.
struct RowGraph {
    static constexpr double bend_width = 8;

    struct Item {
        std::uint32_t node = LevelGraph::no_node;  ///< no_node for a bend
        std::uint32_t row = 0;
        double width = bend_width;
        double weight = 1;                        ///< of a bend: its edge's
        std::vector<std::uint32_t> above, below;  ///< linked items of the neighbouring rows

        bool bend() const { return node == LevelGraph::no_node; }
    };

    std::vector<Item> items;
    std::vector<std::vector<std::uint32_t>> rows;   ///< items from left to right
    std::vector<std::vector<std::uint32_t>> bends;  ///< of each edge of the level, in its own direction
    std::vector<std::uint32_t> item_of_node;        ///< or no_node
};

/// @param backward which column.
RowGraph make_rows(const LevelGraph& graph, const Layering& layering, bool backward);

/// Reorders the rows so that fewer links cross: barycentre sweeps down and up, of which the best order stays.
void reduce_crossings(RowGraph& rows, int sweeps);
/// Pairs of links that cross.
std::uint64_t count_crossings(const RowGraph& rows);

/// Centres of the items, at least `gap` apart: near the mean of what each is linked to, bends of one edge straight.
/// @returns x, any of which can be negative.
std::vector<double> assign_centres(const RowGraph& rows, double gap, int sweeps);

}  // namespace overlap
