#pragma once

#include <vector>

#include "core/graph/module_tree.h"

namespace overlap {

/// For each node the one module that it belongs to for display: the deepest that holds it, the first of equals;
/// no_module for nodes without a module.
///
/// This is not always the last one of its stack: graphs with FSDP as parametrisations end the stacks of gathers with
/// the parametrisation's own path, `dict(type(L['self'].layers.0.wq).__dict__)['weight']...`, which torch's rules clean
/// to `self.weight`, one module for the gathers of all layers. Modules below such a `self` count only where a node has
/// no other.
std::vector<ModuleTree::ModuleId> home_modules(const ModuleTree& tree, std::uint32_t node_count);

}  // namespace overlap
