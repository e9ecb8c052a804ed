#include "core/layout/arrangement.h"

#include <algorithm>
#include <cmath>

namespace overlap {
namespace {

/// Children of a box in the order of execution: an edge against it closes a cycle.
std::vector<BoxId> in_order(const BoxTree& tree, BoxId box) {
    const Box& group = tree.box(box);
    std::vector<BoxId> children(group.child_count);
    for (std::uint32_t i = 0; i < group.child_count; ++i) children[i] = group.first_child + i;
    std::stable_sort(children.begin(), children.end(),
                     [&](BoxId a, BoxId b) { return tree.box(a).order < tree.box(b).order; });
    return children;
}

class Arranger {
  public:
    Arranger(const BoxTree& tree, const std::unordered_set<BoxId>& open, const ArrangementOptions& options,
             const LayoutEngine& engine, LayoutCache& cache)
        : tree_(tree), open_(open), options_(options), engine_(engine), cache_(cache) {}

    std::shared_ptr<const Arrangement> run() {
        find_levels();
        for (std::size_t level = levels_.size(); level-- > 0;) lay_out(levels_[level]);
        auto arrangement = std::make_shared<Arrangement>();
        arrangement->place_of.assign(tree_.box_count(), Arrangement::no_place);
        place(*arrangement);
        return arrangement;
    }

  private:
    struct Level {
        BoxId box;
        LayoutSize size{};  ///< of the box around it
        std::vector<BoxId> children{};
        std::uint64_t key = 0;
        std::shared_ptr<const LevelLayout> layout{};
        std::vector<LayoutSize> sizes{};  ///< of the children
    };

    bool is_open(BoxId box) const { return tree_.has_children(box) && open_.contains(box); }

    /// Levels around others come first.
    void find_levels() {
        levels_.push_back({BoxTree::root});
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            levels_[i].children = in_order(tree_, levels_[i].box);
            level_of_[levels_[i].box] = i;
            const std::vector<BoxId> children = levels_[i].children;
            for (const BoxId child : children)
                if (is_open(child)) levels_.push_back({child});
        }
    }

    LayoutSize size_of(BoxId box) const {
        const auto level = level_of_.find(box);
        return level == level_of_.end() ? options_.closed_size(box) : levels_[level->second].size;
    }

    void lay_out(Level& level) {
        const LevelGraph graph = level_graph(tree_, level.box, [&](BoxId child) { return size_of(child); });
        level.key = level_key(graph);
        level.layout = cache_.find(level.key);
        if (!level.layout) {
            level.layout = std::make_shared<LevelLayout>(engine_.layout(graph));
            cache_.put(level.key, level.layout);
        }
        for (const LevelGraph::Node& node : graph.nodes) level.sizes.push_back(node.size);
        const double width = level.box == BoxTree::root ? 0 : options_.open_width(level.box);
        level.size = {std::max(width, level.layout->size.width + 2 * options_.padding),
                      level.layout->size.height + options_.header_height + options_.padding};
    }

    void place(Arrangement& arrangement) {
        struct Inside {
            std::size_t level;
            LayoutPoint origin;
            std::uint32_t depth;
        };
        arrangement.size = levels_.front().layout->size;
        std::vector<Inside> waiting{{0, {0, 0}, 0}};
        while (!waiting.empty()) {
            const Inside inside = waiting.back();
            waiting.pop_back();
            const Level& level = levels_[inside.level];
            PlacedLevel placed{level.box, level.key};
            placed.first_box = static_cast<std::uint32_t>(arrangement.boxes.size());
            placed.first_edge = static_cast<std::uint32_t>(arrangement.edges.size());
            for (std::size_t i = 0; i < level.children.size(); ++i) {
                const BoxId box = level.children[i];
                const LayoutPoint at = level.layout->positions[i];
                const LayoutRect rect{inside.origin.x + at.x, inside.origin.y + at.y, level.sizes[i].width,
                                      level.sizes[i].height};
                arrangement.place_of[box] = static_cast<std::uint32_t>(arrangement.boxes.size());
                arrangement.boxes.push_back({box, inside.depth, is_open(box), rect, {}, {}});
                if (!is_open(box)) continue;
                const std::size_t below = level_of_.at(box);
                // Narrow contents stand in the middle of a wide title's box.
                const double slack = rect.width - levels_[below].layout->size.width;
                waiting.push_back(
                    {below, {rect.x + std::floor(slack / 2), rect.y + options_.header_height}, inside.depth + 1});
            }
            place_edges(arrangement, level, inside.origin);
            placed.box_count = static_cast<std::uint32_t>(arrangement.boxes.size()) - placed.first_box;
            placed.edge_count = static_cast<std::uint32_t>(arrangement.edges.size()) - placed.first_edge;
            arrangement.levels.push_back(placed);
        }
    }

    void place_edges(Arrangement& arrangement, const Level& level, LayoutPoint origin) {
        const auto edges = tree_.edges_in(level.box);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const EdgeRoute& route = level.layout->routes[i];
            if (route.style == RouteStyle::stub) {
                add_stub(arrangement.boxes[arrangement.place_of[edges[i].from]].stubs_out, edges[i]);
                add_stub(arrangement.boxes[arrangement.place_of[edges[i].to]].stubs_in, edges[i]);
                continue;
            }
            arrangement.edges.push_back({edges[i], static_cast<std::uint32_t>(arrangement.points.size()),
                                         static_cast<std::uint32_t>(route.points.size())});
            for (const LayoutPoint& point : route.points)
                arrangement.points.push_back({origin.x + point.x, origin.y + point.y});
        }
    }

    static void add_stub(LevelEdge& sum, const LevelEdge& edge) {
        sum.uses += edge.uses;
        sum.tensors += edge.tensors;
        sum.bytes += edge.bytes;
    }

    const BoxTree& tree_;
    const std::unordered_set<BoxId>& open_;
    const ArrangementOptions& options_;
    const LayoutEngine& engine_;
    LayoutCache& cache_;
    std::vector<Level> levels_;
    std::unordered_map<BoxId, std::size_t> level_of_;
};

}  // namespace

LevelGraph level_graph(const BoxTree& tree, BoxId box, const std::function<LayoutSize(BoxId)>& size) {
    const std::vector<BoxId> children = in_order(tree, box);
    const BoxId first = tree.box(box).first_child;
    std::vector<std::uint32_t> place(children.size());
    for (std::uint32_t i = 0; i < children.size(); ++i) place[children[i] - first] = i;
    LevelGraph graph;
    graph.nodes.reserve(children.size());
    for (const BoxId child : children) {
        const Box& drawn = tree.box(child);
        const bool backward = drawn.phase == Phase::backward;
        const bool beside = backward && drawn.twin != no_box;
        graph.nodes.push_back({size(child), backward, beside ? place[drawn.twin - first] : LevelGraph::no_node,
                               drawn.kind == BoxKind::interface});
    }
    const auto edges = tree.edges_in(box);
    graph.edges.reserve(edges.size());
    for (const LevelEdge& edge : edges) graph.edges.push_back({place[edge.from - first], place[edge.to - first]});
    return graph;
}

std::shared_ptr<const Arrangement> arrange(const BoxTree& tree, const std::unordered_set<BoxId>& open,
                                           const ArrangementOptions& options, const LayoutEngine& engine,
                                           LayoutCache& cache) {
    return Arranger(tree, open, options, engine, cache).run();
}

BoxId Arrangement::shown(const BoxTree& tree, BoxId box) const {
    while (box != no_box && place_of[box] == no_place) box = tree.box(box).parent;
    return box;
}

BoxId Arrangement::at(LayoutPoint point) const {
    for (auto placed = boxes.rbegin(); placed != boxes.rend(); ++placed)
        if (placed->rect.contains(point)) return placed->box;
    return no_box;
}

}  // namespace overlap
