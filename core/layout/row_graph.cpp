#include "core/layout/row_graph.h"

#include <algorithm>
#include <numeric>

namespace overlap {
namespace {

/// Position of each item within its row.
std::vector<std::uint32_t> positions(const RowGraph& rows) {
    std::vector<std::uint32_t> position(rows.items.size(), 0);
    for (const auto& row : rows.rows)
        for (std::uint32_t at = 0; at < row.size(); ++at) position[row[at]] = at;
    return position;
}

/// Inversions of `values` below `size`, by a Fenwick tree.
std::uint64_t inversions(const std::vector<std::uint32_t>& values, std::size_t size) {
    std::vector<std::uint32_t> tree(size + 1, 0);
    std::uint64_t found = 0;
    for (std::size_t seen = 0; seen < values.size(); ++seen) {
        std::uint32_t not_greater = 0;
        for (std::size_t at = values[seen] + 1; at > 0; at &= at - 1) not_greater += tree[at];
        found += seen - not_greater;
        for (std::size_t at = values[seen] + 1; at <= size; at += at & (~at + 1)) ++tree[at];
    }
    return found;
}

/// Puts a row in the order of the means of what its items are linked to; items without links keep their places.
void order_row(RowGraph& rows, std::vector<std::uint32_t>& position, std::uint32_t row, bool by_above) {
    std::vector<std::uint32_t>& items = rows.rows[row];
    std::vector<double> mean(items.size());
    std::vector<std::uint32_t> linked;  // places in the row
    for (std::uint32_t at = 0; at < items.size(); ++at) {
        const RowGraph::Item& item = rows.items[items[at]];
        const auto& links = by_above ? item.above : item.below;
        if (links.empty()) continue;
        double sum = 0;
        for (const std::uint32_t link : links) sum += position[link];
        mean[at] = sum / static_cast<double>(links.size());
        linked.push_back(at);
    }
    std::vector<std::uint32_t> sorted = linked;
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return mean[a] < mean[b]; });
    const std::vector<std::uint32_t> before = items;
    for (std::size_t i = 0; i < linked.size(); ++i) items[linked[i]] = before[sorted[i]];
    for (std::uint32_t at = 0; at < items.size(); ++at) position[items[at]] = at;
}

}  // namespace

RowGraph make_rows(const LevelGraph& graph, const Layering& layering, bool backward) {
    RowGraph rows;
    rows.rows.resize(layering.rank_count);
    rows.bends.resize(graph.edges.size());
    rows.item_of_node.assign(graph.nodes.size(), LevelGraph::no_node);
    const auto add = [&](std::uint32_t node, std::uint32_t row, double width, double weight) {
        const auto item = static_cast<std::uint32_t>(rows.items.size());
        rows.items.push_back({node, row, width, weight, {}, {}});
        rows.rows[row].push_back(item);
        return item;
    };
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        if (graph.nodes[node].backward == backward && !layering.alone[node])
            rows.item_of_node[node] = add(node, layering.rank[node], graph.nodes[node].size.width, 1);
    for (std::uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
        const LevelGraph::Edge& data = graph.edges[edge];
        if (layering.use[edge] != Layering::Use::flowing || graph.nodes[data.from].backward != backward) continue;
        const bool down = layering.rank[data.from] < layering.rank[data.to];
        std::uint32_t upper = rows.item_of_node[down ? data.from : data.to];
        const std::uint32_t end = rows.item_of_node[down ? data.to : data.from];
        const auto link = [&](std::uint32_t lower) {
            rows.items[upper].below.push_back(lower);
            rows.items[lower].above.push_back(upper);
            upper = lower;
        };
        for (std::uint32_t row = rows.items[upper].row + 1; row < rows.items[end].row; ++row) {
            const std::uint32_t bend = add(LevelGraph::no_node, row, RowGraph::bend_width, data.weight);
            rows.bends[edge].push_back(bend);
            link(bend);
        }
        link(end);
        if (!down) std::reverse(rows.bends[edge].begin(), rows.bends[edge].end());
    }
    return rows;
}

std::uint64_t count_crossings(const RowGraph& rows) {
    const std::vector<std::uint32_t> position = positions(rows);
    std::uint64_t crossings = 0;
    for (std::size_t row = 0; row + 1 < rows.rows.size(); ++row) {
        std::vector<std::uint32_t> ends;  // links by their upper end, then by their lower
        for (const std::uint32_t item : rows.rows[row]) {
            const auto begin = static_cast<std::ptrdiff_t>(ends.size());
            for (const std::uint32_t link : rows.items[item].below) ends.push_back(position[link]);
            std::sort(ends.begin() + begin, ends.end());
        }
        crossings += inversions(ends, rows.rows[row + 1].size());
    }
    return crossings;
}

void reduce_crossings(RowGraph& rows, int sweeps) {
    std::vector<std::vector<std::uint32_t>> best = rows.rows;
    std::uint64_t fewest = count_crossings(rows);
    std::vector<std::uint32_t> position = positions(rows);
    const auto count = static_cast<std::uint32_t>(rows.rows.size());
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
        if (sweep % 2 == 0)
            for (std::uint32_t row = 1; row < count; ++row) order_row(rows, position, row, true);
        else
            for (std::uint32_t row = count - 1; row-- > 0;) order_row(rows, position, row, false);
        const std::uint64_t crossings = count_crossings(rows);
        if (crossings >= fewest) continue;
        fewest = crossings;
        best = rows.rows;
    }
    rows.rows = std::move(best);
}

}  // namespace overlap
