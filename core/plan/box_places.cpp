#include "core/plan/box_places.h"

#include "core/plan/home_module.h"
#include "core/plan/module_figures.h"

namespace overlap {

BoxPlaces box_places(const Graph& graph, const ModuleTree& modules) {
    BoxPlaces places;
    places.home = home_modules(modules, graph.node_count());
    places.backward.resize(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) places.backward[node] = is_backward(graph, node);
    return places;
}

}  // namespace overlap
