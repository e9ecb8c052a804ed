// Levels for engines of other libraries, and their answers put into our own layout.

#include <algorithm>

#include "core/base/error.h"
#include "core/layout/layering.h"
#include "core/layout/layout_protocol.h"
#include "core/layout/routes.h"

namespace overlap {

ForeignLevel foreign_level(const LevelGraph& graph, const LevelLayoutOptions& options) {
    ForeignLevel level;
    const auto is_backward = [](const LevelGraph::Node& node) { return node.backward; };
    const bool all = std::all_of(graph.nodes.begin(), graph.nodes.end(), is_backward);
    if (!all && std::any_of(graph.nodes.begin(), graph.nodes.end(), is_backward)) return level;
    level.upwards = all;
    level.request.row_gap = options.row_gap;
    level.request.box_gap = options.box_gap;
    const Layering layering = assign_ranks(graph, options);
    std::vector<std::uint32_t> number(graph.nodes.size(), 0);
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
        if (layering.alone[node]) continue;
        number[node] = static_cast<std::uint32_t>(level.nodes.size());
        level.nodes.push_back(node);
        level.request.nodes.push_back(graph.nodes[node].size);
    }
    for (std::uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
        if (layering.use[edge] != Layering::Use::flowing) continue;
        const LevelGraph::Edge& data = graph.edges[edge];
        level.edges.push_back(edge);
        level.request.edges.push_back({number[data.from], number[data.to], data.weight});
    }
    return level;
}

LevelLayout merge_answer(const LevelGraph& graph, const LevelLayout& own, const ForeignLevel& level,
                         const LayoutAnswer& answer, const LevelLayoutOptions& options) {
    const auto well_formed = [](const std::vector<LayoutPoint>& route) { return route.size() % 3 == 1; };
    if (answer.positions.size() != level.nodes.size() || answer.routes.size() != level.edges.size() ||
        !std::all_of(answer.routes.begin(), answer.routes.end(), well_formed))
        throw InputError("layout helper", "", "the layout is not one of this level");
    LevelLayout merged = own;
    // Boxes without edges stay above the rest.
    double top = own.size.height;
    for (const std::uint32_t node : level.nodes) top = std::min(top, own.positions[node].y);
    const auto turned = [&](LayoutPoint point, double height) {
        return LayoutPoint{point.x, top + (level.upwards ? answer.size.height - point.y - height : point.y)};
    };
    for (std::size_t i = 0; i < level.nodes.size(); ++i)
        merged.positions[level.nodes[i]] = turned(answer.positions[i], graph.nodes[level.nodes[i]].size.height);
    for (std::size_t i = 0; i < level.edges.size(); ++i) {
        EdgeRoute& route = merged.routes[level.edges[i]];
        route = {RouteStyle::drawn, {}};
        for (const LayoutPoint& point : answer.routes[i]) route.points.push_back(turned(point, 0));
    }
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
        const bool asked = std::binary_search(level.edges.begin(), level.edges.end(), static_cast<std::uint32_t>(edge));
        if (asked || merged.routes[edge].style == RouteStyle::stub) continue;
        const auto rect = [&](std::uint32_t node) {
            const LayoutSize& size = graph.nodes[node].size;
            return LayoutRect{merged.positions[node].x, merged.positions[node].y, size.width, size.height};
        };
        merged.routes[edge].points =
            route_beside(rect(graph.edges[edge].from), rect(graph.edges[edge].to), options.box_gap);
    }
    double alone_width = 0;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        if (!std::binary_search(level.nodes.begin(), level.nodes.end(), static_cast<std::uint32_t>(node)))
            alone_width = std::max(alone_width, own.positions[node].x + graph.nodes[node].size.width);
    merged.size = {std::max(alone_width, answer.size.width), top + answer.size.height};
    return merged;
}

}  // namespace overlap
