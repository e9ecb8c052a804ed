#include "core/views/box_places.h"

#include "core/modules/home_module.h"
#include "core/views/module_figures.h"

namespace overlap {
namespace {

/// A graph of the backward pass alone: what it has of the forward direction are placeholders, values that were saved.
bool computes_forward(const Graph& graph, const BoxPlaces& places) {
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (!places.backward[node] && graph.op(node) != NodeOp::placeholder && graph.op(node) != NodeOp::output)
            return true;
    return false;
}

}  // namespace

BoxPlaces box_places(const Graph& graph, const ModuleTree& modules) {
    BoxPlaces places;
    places.home = home_modules(modules, graph.node_count());
    places.backward.resize(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) places.backward[node] = is_backward(graph, node);
    if (!computes_forward(graph, places)) {
        for (NodeId node = 0; node < graph.node_count(); ++node)
            if (graph.op(node) == NodeOp::placeholder) places.home[node] = ModuleTree::no_module;
    }
    return places;
}

}  // namespace overlap
