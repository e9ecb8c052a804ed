#pragma once

#include "core/layout/box_tree.h"

namespace overlap {

/// Where the graph view draws nodes: in the module that home_modules() returns, in the direction of is_backward().
/// Placeholders of a graph that computes nothing forward are in no module: values saved for it are its inputs.
BoxPlaces box_places(const Graph& graph, const ModuleTree& modules);

}  // namespace overlap
