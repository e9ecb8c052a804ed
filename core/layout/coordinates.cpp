// Where the items of rows stand: each sweep asks for the mean of what an item is linked to and takes the nearest
// positions that keep the order and the gaps, by isotonic regression.

#include <utility>
#include <vector>

#include "core/layout/row_graph.h"

namespace overlap {
namespace {

constexpr double straight_bends = 8;  ///< how much more a link between two bends pulls than one between boxes
constexpr double bend_to_box = 2;
constexpr double unlinked_weight = 0.05;  ///< an item without links hardly resists its neighbours

double pull(const RowGraph::Item& a, const RowGraph::Item& b) {
    return a.bend() && b.bend() ? straight_bends : a.bend() || b.bend() ? bend_to_box : 1;
}

/// Centres of the items, which sweeps over the rows bring nearer to what the items are linked to. Hundreds of sweeps go
/// over short rows: what they need is made once.
class CentreSweeps {
  public:
    /// At first every row is as narrow as can be, around one axis.
    CentreSweeps(const RowGraph& rows, double gap) : rows_(rows), centre_(rows.items.size()), offset_(centre_.size()) {
        for (const auto& row : rows.rows) {
            double width = row.empty() ? 0 : -gap;
            for (const std::uint32_t item : row) width += rows.items[item].width + gap;
            double x = -width / 2;
            for (const std::uint32_t item : row) {
                centre_[item] = x + rows.items[item].width / 2;
                x += rows.items[item].width + gap;
            }
            for (std::size_t place = 1; place < row.size(); ++place) {
                const double widths = rows.items[row[place - 1]].width + rows.items[row[place]].width;
                offset_[row[place]] = offset_[row[place - 1]] + widths / 2 + gap;
            }
        }
    }

    void sweep(const std::vector<std::uint32_t>& row, bool above, bool below) {
        wish_.clear();
        weight_.clear();
        for (const std::uint32_t index : row) {
            const RowGraph::Item& item = rows_.items[index];
            double sum = 0, pulls = 0;
            const auto ask = [&](const std::vector<std::uint32_t>& links) {
                for (const std::uint32_t link : links) {
                    const double strength = pull(item, rows_.items[link]);
                    sum += strength * centre_[link];
                    pulls += strength;
                }
            };
            if (above) ask(item.above);
            if (below) ask(item.below);
            wish_.push_back(pulls > 0 ? sum / pulls : centre_[index]);
            weight_.push_back(pulls > 0 ? pulls : unlinked_weight);
        }
        fit(row);
    }

    std::vector<double> take() { return std::move(centre_); }

  private:
    /// Items side by side, as near as they can be.
    struct Block {
        double sum, weight;
        std::size_t count;
        double mean() const { return sum / weight; }
    };

    /// Moves a row's centres as near to what is wished as their order and distances allow (pool adjacent violators).
    void fit(const std::vector<std::uint32_t>& row) {
        blocks_.clear();
        for (std::size_t i = 0; i < row.size(); ++i) {
            blocks_.push_back({(wish_[i] - offset_[row[i]]) * weight_[i], weight_[i], 1});
            while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].mean() > blocks_.back().mean()) {
                Block& before = blocks_[blocks_.size() - 2];
                before.sum += blocks_.back().sum;
                before.weight += blocks_.back().weight;
                before.count += blocks_.back().count;
                blocks_.pop_back();
            }
        }
        std::size_t at = 0;
        for (const Block& block : blocks_) {
            const double mean = block.mean();
            for (std::size_t i = 0; i < block.count; ++i, ++at) centre_[row[at]] = mean + offset_[row[at]];
        }
    }

    const RowGraph& rows_;
    std::vector<double> centre_;
    std::vector<double> offset_;         ///< least distance from the row's first item
    std::vector<double> wish_, weight_;  ///< of the row that is swept
    std::vector<Block> blocks_;
};

}  // namespace

std::vector<double> assign_centres(const RowGraph& rows, double gap, int sweeps) {
    CentreSweeps centres(rows, gap);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (auto row = rows.rows.begin(); row != rows.rows.end(); ++row) centres.sweep(*row, true, false);
        for (auto row = rows.rows.rbegin(); row != rows.rows.rend(); ++row) centres.sweep(*row, false, true);
    }
    for (int sweep = 0; sweep < 2; ++sweep)
        for (const auto& row : rows.rows) centres.sweep(row, true, true);
    return centres.take();
}

}  // namespace overlap
