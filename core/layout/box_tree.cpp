#include "core/layout/box_tree.h"

#include <algorithm>

#include "core/layout/box_tree_builder.h"
#include "core/layout/edge_bundler.h"

namespace overlap {

BoxTree::BoxTree(const Graph& graph, const ModuleTree& modules, const BoxPlaces& places) {
    BoxTreeBuilder(graph, modules, places).build(*this);
    add_edges(graph);
}

void BoxTree::add_edges(const Graph& graph) {
    std::vector<std::uint32_t> depth(boxes_.size(), 0);
    for (BoxId id = 1; id < boxes_.size(); ++id) depth[id] = depth[boxes_[id].parent] + 1;
    EdgeBundler bundler;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const NodeId input : graph.inputs(node)) {
            BoxId from = operation_of_[input];
            BoxId to = operation_of_[node];
            if (from == to) continue;
            while (boxes_[from].parent != boxes_[to].parent) {
                const bool from_is_higher = depth[from] < depth[to];
                const bool to_is_higher = depth[to] < depth[from];
                if (!from_is_higher) from = boxes_[from].parent;
                if (!to_is_higher) to = boxes_[to].parent;
            }
            bundler.add(from, to, input);
        }
    }
    // Children of a box are neighbours, so edges ordered by box are ordered by the box that they lie in.
    edges_ = bundler.finish(graph);
    first_edge_.assign(boxes_.size() + 1, static_cast<std::uint32_t>(edges_.size()));
    for (std::size_t edge = edges_.size(); edge-- > 0;)
        first_edge_[edges_[edge].from] = static_cast<std::uint32_t>(edge);
    for (std::size_t id = boxes_.size(); id-- > 0;) first_edge_[id] = std::min(first_edge_[id], first_edge_[id + 1]);
}

std::span<const NodeId> BoxTree::nodes_of(BoxId id) const {
    return std::span(nodes_).subspan(boxes_[id].first_node, boxes_[id].node_count);
}

BoxId BoxTree::box_of(ModuleTree::ModuleId module, Phase phase) const {
    const std::vector<BoxId>& boxes = box_of_module_[static_cast<std::size_t>(phase)];
    return module < boxes.size() ? boxes[module] : no_box;
}

std::span<const LevelEdge> BoxTree::edges_in(BoxId id) const {
    const Box& group = boxes_[id];
    if (group.child_count == 0) return {};
    const std::uint32_t begin = first_edge_[group.first_child];
    return std::span(edges_).subspan(begin, first_edge_[group.first_child + group.child_count] - begin);
}

std::pair<ModuleTree::ModuleId, ModuleTree::ModuleId> BoxTree::modules_of_run(BoxId id) const {
    const Box& run = boxes_[id];
    if (run.kind != BoxKind::run) return {run.module, run.module};
    ModuleTree::ModuleId first = run.module, last = run.module;
    for (BoxId child = run.first_child; child < run.first_child + run.child_count; ++child) {
        first = std::min(first, boxes_[child].module);
        last = std::max(last, boxes_[child].module);
    }
    return {first, last};
}

bool BoxTree::is_inside(BoxId box, BoxId group) const {
    const Box& inner = boxes_[box];
    const Box& outer = boxes_[group];
    return inner.first_node >= outer.first_node &&
           inner.first_node + inner.node_count <= outer.first_node + outer.node_count;
}

std::vector<BoxId> first_open_boxes(const BoxTree& tree) {
    std::vector<BoxId> open;
    for (BoxId level = BoxTree::root;;) {
        const Box& group = tree.box(level);
        std::vector<BoxId> modules[2];
        for (BoxId child = group.first_child; child < group.first_child + group.child_count; ++child)
            if (tree.box(child).kind == BoxKind::module || tree.box(child).kind == BoxKind::run)
                modules[static_cast<std::size_t>(tree.box(child).phase)].push_back(child);
        if (level == BoxTree::root && modules[0].empty() && modules[1].empty()) {
            for (BoxId child = group.first_child; child < group.first_child + group.child_count; ++child)
                if (tree.box(child).kind == BoxKind::unplaced &&
                    tree.box(tree.box(child).first_child).kind == BoxKind::slice)
                    open.push_back(child);
        }
        const bool single =
            modules[0].size() <= 1 && modules[1].size() <= 1 && modules[0].size() + modules[1].size() > 0;
        if (!single) return open;
        for (const auto& phase : modules) open.insert(open.end(), phase.begin(), phase.end());
        level = modules[0].empty() ? modules[1].front() : modules[0].front();
    }
}

}  // namespace overlap
