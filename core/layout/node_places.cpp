#include "core/layout/node_places.h"

#include <algorithm>

namespace overlap {
namespace {

using ModuleId = ModuleTree::ModuleId;

class NodePlacer {
  public:
    NodePlacer(const Graph& graph, const ModuleTree& modules, const std::vector<ModuleId>& home)
        : graph_(graph), modules_(modules), home_(home), depth_(modules.module_count(), 0) {
        for (ModuleId id = 1; id < modules.module_count(); ++id) depth_[id] = depth_[modules.module(id).parent] + 1;
    }

    NodePlaces run() {
        find_containers();
        places_.place.assign(graph_.node_count(), NodePlaces::unplaced);
        for (NodeId node = 0; node < graph_.node_count(); ++node) places_.place[node] = place_by_inputs(node);
        for (NodeId node = graph_.node_count(); node-- > 0;)
            if (places_.place[node] == NodePlaces::unplaced) places_.place[node] = place_by_users(node);
        return std::move(places_);
    }

  private:
    static bool in_module(ModuleId place) { return place < NodePlaces::interface; }

    void find_containers() {
        places_.container.assign(modules_.module_count(), true);
        if (modules_.exists()) places_.container[ModuleTree::root] = false;
        for (ModuleId id = 0; id < modules_.module_count(); ++id)
            if (!modules_.module(id).own_class.empty() || modules_.module(id).children.empty())
                places_.container[id] = false;
        for (const ModuleId module : home_)
            if (module != ModuleTree::no_module) places_.container[module] = false;
    }

    /// The deepest module that both lie in.
    ModuleId meeting(ModuleId a, ModuleId b) const {
        while (a != b) {
            ModuleId& deeper = depth_[a] > depth_[b] ? a : b;
            deeper = modules_.module(deeper).parent;
        }
        return a;
    }

    ModuleId place_by_inputs(NodeId node) const {
        if (home_[node] != ModuleTree::no_module) return home_[node];
        if (graph_.op(node) == NodeOp::placeholder || graph_.op(node) == NodeOp::output) return NodePlaces::interface;
        ModuleId met = NodePlaces::unplaced;
        NodeId last = no_node;
        for (const NodeId input : graph_.inputs(node)) {
            const ModuleId place = places_.place[input];
            if (!in_module(place)) continue;
            met = met == NodePlaces::unplaced ? place : meeting(met, place);
            if (last == no_node || input > last) last = input;
        }
        if (last == no_node || (met != ModuleTree::root && !places_.container[met])) return met;
        // They come from boxes side by side: the last of these.
        ModuleId below = places_.place[last];
        if (below == met) return met;
        for (ModuleId up = below; up != met; up = modules_.module(up).parent)
            if (!places_.container[up]) below = up;
        return below;
    }

    ModuleId place_by_users(NodeId node) const {
        const auto users = graph_.users(node);
        NodeId first = no_node;
        for (const NodeId user : users)
            if (in_module(places_.place[user])) first = std::min(first, user);
        return first == no_node ? NodePlaces::unplaced : places_.place[first];
    }

    const Graph& graph_;
    const ModuleTree& modules_;
    const std::vector<ModuleId>& home_;
    std::vector<std::uint32_t> depth_;
    NodePlaces places_;
};

}  // namespace

NodePlaces place_nodes(const Graph& graph, const ModuleTree& modules, const std::vector<ModuleTree::ModuleId>& home) {
    return NodePlacer(graph, modules, home).run();
}

}  // namespace overlap
