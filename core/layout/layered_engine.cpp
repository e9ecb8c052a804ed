#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/word_hash.h"
#include "core/layout/layering.h"
#include "core/layout/level_layout.h"
#include "core/layout/routes.h"
#include "core/layout/row_graph.h"

namespace overlap {
namespace {

constexpr double port_share = 0.6;  ///< of the side that ends are spread over at most
constexpr double alone_aspect = 2;  ///< width by height of a field of boxes without edges

class LevelPlacer {
  public:
    LevelPlacer(const LevelGraph& graph, const LevelLayoutOptions& options)
        : graph_(graph), options_(options), layering_(assign_ranks(graph, options)) {
        layout_.positions.assign(graph.nodes.size(), {});
        layout_.routes.resize(graph.edges.size());
    }

    LevelLayout run(const std::stop_token& stop) {
        double left = 0;
        for (const bool backward : {false, true}) {
            column_.push_back(make_rows(graph_, layering_, backward));
            if (stop.stop_requested()) return std::move(layout_);
            reduce_crossings(column_.back(), options_.crossing_sweeps);
            centre_.push_back(assign_centres(column_.back(), options_.box_gap, options_.coordinate_sweeps));
            left = place_column(left);
        }
        place_rows();
        place_alone();
        route_edges();
        return std::move(layout_);
    }

  private:
    /// Moves the newest column to the right of what is there. @returns where the next one begins.
    double place_column(double left) {
        const RowGraph& rows = column_.back();
        if (rows.items.empty()) return left;
        double lowest = 0, highest = 0;
        for (std::size_t item = 0; item < rows.items.size(); ++item) {
            const double half = rows.items[item].width / 2;
            lowest = item == 0 ? centre_.back()[item] - half : std::min(lowest, centre_.back()[item] - half);
            highest = item == 0 ? centre_.back()[item] + half : std::max(highest, centre_.back()[item] + half);
        }
        // Whole pixels, so that hairlines are sharp.
        for (double& centre : centre_.back()) centre = std::round(centre - lowest + left);
        for (std::size_t item = 0; item < rows.items.size(); ++item)
            if (const std::uint32_t node = rows.items[item].node; node != LevelGraph::no_node)
                layout_.positions[node].x =
                    std::max(left, std::round(centre_.back()[item] - graph_.nodes[node].size.width / 2));
        const double width = std::ceil(highest - lowest) + 1;
        layout_.size.width = left + width;
        return left + width + options_.column_gap;
    }

    void place_rows() {
        row_top_.assign(layering_.rank_count + 1, 0);
        std::vector<double> height(layering_.rank_count, 0);
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            if (!layering_.alone[node])
                height[layering_.rank[node]] = std::max(height[layering_.rank[node]], graph_.nodes[node].size.height);
        for (std::size_t row = 0; row < height.size(); ++row)
            row_top_[row + 1] = row_top_[row] + std::ceil(height[row]) + options_.row_gap;
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            if (!layering_.alone[node]) layout_.positions[node].y = row_top_[layering_.rank[node]];
        layout_.size.height = layering_.rank_count == 0 ? 0 : row_top_.back() - options_.row_gap;
    }

    /// Boxes without edges stand above the others, in lines like text. Where they have stubs, these need room.
    void place_alone() {
        double area = 0, line_gap = options_.box_gap;
        for (const LevelGraph::Edge& edge : graph_.edges)
            if (layering_.alone[edge.from] || layering_.alone[edge.to]) line_gap = options_.row_gap;
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) {
            if (!layering_.alone[node]) continue;
            nodes.push_back(node);
            const LayoutSize& size = graph_.nodes[node].size;
            area += (size.width + options_.box_gap) * (size.height + options_.box_gap);
        }
        if (nodes.empty()) return;
        const double width = std::max(layout_.size.width, std::sqrt(area * alone_aspect));
        LayoutPoint at;
        double line_height = 0, used = 0;
        for (const std::uint32_t node : nodes) {
            const LayoutSize& size = graph_.nodes[node].size;
            if (at.x > 0 && at.x + size.width > width) {
                at = {0, at.y + line_height + line_gap};
                line_height = 0;
            }
            layout_.positions[node] = at;
            at.x += std::ceil(size.width) + options_.box_gap;
            line_height = std::max(line_height, std::ceil(size.height));
            used = std::max(used, at.x - options_.box_gap);
        }
        const double below = at.y + line_height + (layering_.rank_count > 0 ? options_.row_gap : 0);
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            if (!layering_.alone[node]) layout_.positions[node].y += below;
        for (double& top : row_top_) top += below;
        layout_.size = {std::max(layout_.size.width, used), layout_.size.height + below};
    }

    LayoutRect rect(std::uint32_t node) const {
        const LayoutSize& size = graph_.nodes[node].size;
        return {layout_.positions[node].x, layout_.positions[node].y, size.width, size.height};
    }

    void route_edges() {
        spread_ports();
        for (std::uint32_t edge = 0; edge < graph_.edges.size(); ++edge) {
            EdgeRoute& route = layout_.routes[edge];
            if (layering_.use[edge] == Layering::Use::stub) continue;
            route.style = RouteStyle::drawn;
            route.points =
                layering_.use[edge] == Layering::Use::flowing
                    ? flowing_route(edge)
                    : route_beside(rect(graph_.edges[edge].from), rect(graph_.edges[edge].to), options_.box_gap);
        }
    }

    /// X of both ends of each edge that flows: ends at one side of a box stand in the order of where they lead.
    void spread_ports() {
        start_x_.assign(graph_.edges.size(), 0);
        end_x_.assign(graph_.edges.size(), 0);
        struct End {
            double towards;
            double* x;
        };
        std::vector<std::vector<End>> out(graph_.nodes.size()), in(graph_.nodes.size());
        for (std::uint32_t edge = 0; edge < graph_.edges.size(); ++edge) {
            if (layering_.use[edge] != Layering::Use::flowing) continue;
            const LevelGraph::Edge& data = graph_.edges[edge];
            const std::vector<double> bends = bend_centres(edge);
            const double to = bends.empty() ? rect(data.to).centre().x : bends.front();
            const double from = bends.empty() ? rect(data.from).centre().x : bends.back();
            out[data.from].push_back({to, &start_x_[edge]});
            in[data.to].push_back({from, &end_x_[edge]});
        }
        for (auto* side : {&out, &in}) {
            for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) {
                std::vector<End>& ends = (*side)[node];
                std::stable_sort(ends.begin(), ends.end(),
                                 [](const End& a, const End& b) { return a.towards < b.towards; });
                const LayoutRect box = rect(node);
                const auto count = static_cast<double>(ends.size());
                const double gap = std::min(port_gap, port_share * box.width / std::max(1.0, count));
                double x = box.centre().x - gap * (count - 1) / 2;
                for (const End& end : ends) {
                    *end.x = x;
                    x += gap;
                }
            }
        }
    }

    std::vector<double> bend_centres(std::uint32_t edge) const {
        const std::size_t side = graph_.nodes[graph_.edges[edge].from].backward ? 1 : 0;
        std::vector<double> centres;
        for (const std::uint32_t bend : column_[side].bends[edge]) centres.push_back(centre_[side][bend]);
        return centres;
    }

    /// From box to box, straight through the rows between and bent in the gaps.
    std::vector<LayoutPoint> flowing_route(std::uint32_t edge) const {
        const LevelGraph::Edge& data = graph_.edges[edge];
        const std::size_t side = graph_.nodes[data.from].backward ? 1 : 0;
        const bool down = layering_.rank[data.from] < layering_.rank[data.to];
        const LayoutRect from = rect(data.from), to = rect(data.to);
        std::vector<LayoutPoint> points{{start_x_[edge], down ? from.bottom() : from.y}};
        const auto curve_to = [&](LayoutPoint end) {
            const LayoutPoint begin = points.back();
            const double middle = (begin.y + end.y) / 2;
            points.insert(points.end(), {{begin.x, middle}, {end.x, middle}, end});
        };
        const auto line_to = [&](LayoutPoint end) {
            const LayoutPoint begin = points.back();
            points.insert(points.end(), {begin, end, end});
        };
        // A box may be lower than its row: straight to the row's edge, so that bends stay in the gaps.
        const double row_bottom = row_top_[layering_.rank[down ? data.from : data.to] + 1] - options_.row_gap;
        if (down && row_bottom > from.bottom()) line_to({start_x_[edge], row_bottom});
        for (const std::uint32_t bend : column_[side].bends[edge]) {
            const double x = centre_[side][bend];
            const std::uint32_t row = column_[side].items[bend].row;
            const double top = row_top_[row], bottom = row_top_[row + 1] - options_.row_gap;
            curve_to({x, down ? top : bottom});
            line_to({x, down ? bottom : top});
        }
        if (down) {
            curve_to({end_x_[edge], to.y});
        } else {
            curve_to({end_x_[edge], std::max(row_bottom, to.bottom())});
            if (row_bottom > to.bottom()) line_to({end_x_[edge], to.bottom()});
        }
        return points;
    }

    const LevelGraph& graph_;
    const LevelLayoutOptions& options_;
    Layering layering_;
    std::vector<RowGraph> column_;             ///< forward, backward
    std::vector<std::vector<double>> centre_;  ///< of the items of each column
    std::vector<double> row_top_;              ///< and where a row after the last would begin
    std::vector<double> start_x_, end_x_;
    LevelLayout layout_;
};

}  // namespace

LevelLayout LayeredEngine::layout(const LevelGraph& graph, std::stop_token stop) const {
    return LevelPlacer(graph, options_).run(stop);
}

std::uint64_t level_key(const LevelGraph& graph) {
    WordHash hash;
    hash.add(graph.nodes.size());
    for (const LevelGraph::Node& node : graph.nodes) {
        hash.add(std::bit_cast<std::uint64_t>(node.size.width));
        hash.add(std::bit_cast<std::uint64_t>(node.size.height));
        hash.add(node.backward);
        hash.add(node.twin);
        hash.add(node.apart);
    }
    for (const LevelGraph::Edge& edge : graph.edges) {
        hash.add(std::uint64_t{edge.from} << 32 | edge.to);
        hash.add(std::bit_cast<std::uint64_t>(edge.weight));
    }
    return hash.value();
}

}  // namespace overlap
