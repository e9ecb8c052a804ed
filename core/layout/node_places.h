#pragma once

#include <vector>

#include "core/layout/box_tree.h"

namespace overlap {

/// Where the graph view draws each node.
struct NodePlaces {
    static constexpr ModuleTree::ModuleId interface = ModuleTree::no_module - 1;
    static constexpr ModuleTree::ModuleId unplaced = ModuleTree::no_module;

    /// A module, `interface` or `unplaced`, for each node.
    std::vector<ModuleTree::ModuleId> place;
    /// Modules that only lie on the way to others and get no box.
    std::vector<bool> container;
};

/// A node is drawn in its module. One without a module is drawn where its inputs meet, else where they come from last,
/// else beside its first user: gradients that are added between layers have no module of their own, and would otherwise
/// connect one box with all layers.
NodePlaces place_nodes(const Graph& graph, const ModuleTree& modules, const std::vector<ModuleTree::ModuleId>& home);

}  // namespace overlap
