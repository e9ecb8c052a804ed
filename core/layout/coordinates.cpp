// Where the items of rows stand: each sweep asks for the mean of what an item is linked to and takes the nearest
// positions that keep the order and the gaps, by isotonic regression.

#include <algorithm>

#include "core/layout/row_graph.h"

namespace overlap {
namespace {

constexpr double straight_bends = 8;  ///< how much more a link between two bends pulls than one between boxes
constexpr double bend_to_box = 2;
constexpr double unlinked_weight = 0.05;  ///< an item without links hardly resists its neighbours

double pull(const RowGraph::Item& a, const RowGraph::Item& b) {
    return a.bend() && b.bend() ? straight_bends : a.bend() || b.bend() ? bend_to_box : 1;
}

/// Moves a row's centres as near to what is wished as their order and distances allow (pool adjacent violators).
void fit_row(const RowGraph& rows, const std::vector<std::uint32_t>& row, double gap, const std::vector<double>& wish,
             const std::vector<double>& weight, std::vector<double>& centre) {
    struct Block {
        double sum, weight;
        std::size_t count;
        double mean() const { return sum / weight; }
    };
    std::vector<double> offset(row.size(), 0);
    for (std::size_t i = 1; i < row.size(); ++i) {
        const RowGraph::Item& left = rows.items[row[i - 1]];
        const RowGraph::Item& right = rows.items[row[i]];
        offset[i] = offset[i - 1] + (left.width + right.width) / 2 + gap;
    }
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < row.size(); ++i) {
        blocks.push_back({(wish[i] - offset[i]) * weight[i], weight[i], 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
            Block& before = blocks[blocks.size() - 2];
            before.sum += blocks.back().sum;
            before.weight += blocks.back().weight;
            before.count += blocks.back().count;
            blocks.pop_back();
        }
    }
    std::size_t at = 0;
    for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.count; ++i, ++at) centre[row[at]] = block.mean() + offset[at];
}

void sweep_row(const RowGraph& rows, const std::vector<std::uint32_t>& row, double gap, bool above, bool below,
               std::vector<double>& centre) {
    std::vector<double> wish(row.size()), weight(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        const RowGraph::Item& item = rows.items[row[i]];
        double sum = 0, pulls = 0;
        const auto ask = [&](const std::vector<std::uint32_t>& links) {
            for (const std::uint32_t link : links) {
                const double strength = pull(item, rows.items[link]);
                sum += strength * centre[link];
                pulls += strength;
            }
        };
        if (above) ask(item.above);
        if (below) ask(item.below);
        wish[i] = pulls > 0 ? sum / pulls : centre[row[i]];
        weight[i] = pulls > 0 ? pulls : unlinked_weight;
    }
    fit_row(rows, row, gap, wish, weight, centre);
}

}  // namespace

std::vector<double> assign_centres(const RowGraph& rows, double gap, int sweeps) {
    std::vector<double> centre(rows.items.size(), 0);
    // At first every row is as narrow as can be, around one axis.
    for (const auto& row : rows.rows) {
        double width = row.empty() ? 0 : -gap;
        for (const std::uint32_t item : row) width += rows.items[item].width + gap;
        double x = -width / 2;
        for (const std::uint32_t item : row) {
            centre[item] = x + rows.items[item].width / 2;
            x += rows.items[item].width + gap;
        }
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t row = 0; row < rows.rows.size(); ++row)
            sweep_row(rows, rows.rows[row], gap, true, false, centre);
        for (std::size_t row = rows.rows.size(); row-- > 0;) sweep_row(rows, rows.rows[row], gap, false, true, centre);
    }
    for (int sweep = 0; sweep < 2; ++sweep)
        for (const auto& row : rows.rows) sweep_row(rows, row, gap, true, true, centre);
    return centre;
}

}  // namespace overlap
