#include "core/graph/module_tree.h"

#include <algorithm>

namespace overlap {

namespace {

constexpr std::string_view self_prefix = "L['self']";

/// Calls visit(component) for each part of `path` between dots; an empty path has one empty part.
template <typename Visit>
void for_each_component(std::string_view path, Visit&& visit) {
    while (true) {
        const std::size_t dot = path.find('.');
        visit(path.substr(0, dot));
        if (dot == std::string_view::npos) return;
        path.remove_prefix(dot + 1);
    }
}

}  // namespace

ModuleSource preferred_module_source(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.metadata(node).module_stack != 0 || graph.metadata(node).fwd_module_stack != 0) {
            return ModuleSource::module_stack;
        }
    }
    return ModuleSource::module_fqn;
}

std::string clean_module_path(std::string_view raw) {
    if (raw.starts_with(self_prefix)) {
        raw.remove_prefix(self_prefix.size());
        if (raw.starts_with('.')) raw.remove_prefix(1);
    }
    std::string joined;
    bool quoted = false;
    for (std::size_t at = 0; (at = raw.find("['", at)) != std::string_view::npos;) {
        const std::size_t begin = at + 2;
        const std::size_t end = raw.find('\'', begin);
        // A quoted part has at least one character and is closed by '] directly.
        if (end == std::string_view::npos || end == begin || raw.substr(end, 2) != "']") {
            at = begin - 1;
            continue;
        }
        if (quoted) joined += '.';
        joined += raw.substr(begin, end - begin);
        quoted = true;
        at = end + 2;
    }
    return quoted ? joined : std::string(raw);
}

bool is_within(std::string_view path, std::string_view outer) {
    return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.');
}

ModuleTree::ModuleTree(const Graph& graph, ModuleSource source) : source_(source) {
    // Graphs have thousands of nodes but hundreds of module stacks or paths: where one leads is worked out once.
    constexpr std::uint32_t unknown = 0xffffffffu;
    const bool by_path = source == ModuleSource::module_fqn;
    std::vector<std::uint32_t> place_of_key(by_path ? graph.strings()->size() : graph.module_stack_count(), unknown);
    std::vector<std::uint32_t> place_of_node(graph.node_count());
    std::vector<Place> places;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata metadata = graph.metadata(node);
        const std::uint32_t stack = metadata.module_stack != 0 ? metadata.module_stack : metadata.fwd_module_stack;
        const std::uint32_t key = by_path ? metadata.module_fqn : stack;
        if (place_of_key[key] == unknown) {
            place_of_key[key] = static_cast<std::uint32_t>(places.size());
            places.push_back(place_of(graph, key));
        }
        place_of_node[node] = place_of_key[key];
        ++places[place_of_node[node]].node_count;
    }
    chains_ = {};
    add_nodes(place_of_node, places);
}

/// @param key a module stack or a path, 0 for none of either.
ModuleTree::Place ModuleTree::place_of(const Graph& graph, std::uint32_t key) {
    Place place;
    if (key == 0) return place;
    if (source_ == ModuleSource::module_fqn) {
        place.modules = modules_along(graph.text(key), "torch.nn.modules.module.Module");
        place.innermost = place.modules.back();
        return place;
    }
    for (const ModuleStackEntry& entry : graph.module_stack(key)) {
        const auto [chain, is_new] = chains_.try_emplace(entry.path);
        if (is_new) {
            chain->second = modules_along(clean_module_path(graph.text(entry.path)), graph.text(entry.class_name));
        }
        place.modules.insert(place.modules.end(), chain->second.begin(), chain->second.end());
        place.innermost = chain->second.back();
    }
    std::ranges::sort(place.modules);
    place.modules.erase(std::unique(place.modules.begin(), place.modules.end()), place.modules.end());
    return place;
}

void ModuleTree::add_nodes(std::span<const std::uint32_t> place_of_node, std::span<const Place> places) {
    std::vector<std::uint32_t> sizes(modules_.size());
    for (const Place& place : places) {
        for (const ModuleId id : place.modules) sizes[id] += place.node_count;
    }
    std::vector<NodeId*> next(modules_.size());
    for (ModuleId id = 0; id < sizes.size(); ++id) {
        modules_[id].nodes.resize(sizes[id]);
        next[id] = modules_[id].nodes.data();
    }
    innermost_.reserve(place_of_node.size());
    for (NodeId node = 0; node < place_of_node.size(); ++node) {
        const Place& place = places[place_of_node[node]];
        for (const ModuleId id : place.modules) *next[id]++ = node;
        innermost_.push_back(place.innermost);
        if (place.innermost == no_module) nodes_without_module_.push_back(node);
    }
}

std::vector<ModuleTree::ModuleId> ModuleTree::modules_along(std::string_view path, std::string_view class_name) {
    if (modules_.empty()) {
        Module made;
        made.name = std::string(path.substr(0, path.find('.')));
        made.class_name = std::string(class_name);
        modules_.push_back(std::move(made));
        children_by_name_.emplace_back();
    }
    std::vector<ModuleId> along;
    ModuleId at = root;
    for_each_component(path, [&](std::string_view name) {
        if (!path.empty()) at = child_or_new(at, name, class_name);
        along.push_back(at);
    });
    if (std::string& own = modules_[along.back()].own_class; own.empty()) own = class_name;
    return along;
}

ModuleTree::ModuleId ModuleTree::child_or_new(ModuleId parent, std::string_view name, std::string_view class_name) {
    if (const ModuleId known = child(parent, name); known != no_module) return known;
    const auto made_id = static_cast<ModuleId>(modules_.size());
    children_by_name_[parent].emplace(std::string(name), made_id);
    Module made;
    made.name = std::string(name);
    made.class_name = std::string(class_name);
    made.parent = parent;
    modules_.push_back(std::move(made));
    modules_[parent].children.push_back(made_id);
    children_by_name_.emplace_back();
    return made_id;
}

std::string ModuleTree::path(ModuleId id) const {
    std::vector<ModuleId> way;  // not recursive: a file may nest modules as deeply as it likes
    for (ModuleId at = id; at != root; at = modules_[at].parent) way.push_back(at);
    std::string joined;
    for (auto module = way.rbegin(); module != way.rend(); ++module) {
        if (module != way.rbegin()) joined += '.';
        joined += modules_[*module].name;
    }
    return joined;
}

ModuleTree::ModuleId ModuleTree::child(ModuleId parent, std::string_view name) const {
    const auto known = children_by_name_[parent].find(std::string(name));
    return known == children_by_name_[parent].end() ? no_module : known->second;
}

ModuleTree::ModuleId ModuleTree::find(std::string_view path) const {
    if (!exists()) return no_module;
    ModuleId at = root;
    for_each_component(path, [&](std::string_view name) {
        if (at != no_module) at = child(at, name);
    });
    return at;
}

std::span<const NodeId> ModuleTree::nodes(std::string_view path) const {
    const ModuleId id = find(path);
    if (id == no_module) return {};
    return modules_[id].nodes;
}

std::size_t ModuleTree::depth() const {
    std::size_t deepest = 0;
    std::vector<std::size_t> level(modules_.size(), 0);
    for (ModuleId id = 1; id < modules_.size(); ++id) {
        level[id] = level[modules_[id].parent] + 1;  // parents are made before their children
        deepest = std::max(deepest, level[id]);
    }
    return deepest;
}

}  // namespace overlap
