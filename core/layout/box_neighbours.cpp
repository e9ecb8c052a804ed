#include "core/layout/box_neighbours.h"

#include "core/layout/edge_bundler.h"

namespace overlap {

BoxNeighbours neighbours_of(const Graph& graph, const BoxTree& tree, BoxId box,
                            const std::function<BoxId(BoxId operation)>& shown) {
    EdgeBundler incoming, outgoing;
    for (const NodeId node : tree.nodes_of(box)) {
        for (const NodeId input : graph.inputs(node))
            if (const BoxId from = tree.operation_of(input); !tree.is_inside(from, box))
                incoming.add(shown(from), box, input);
        for (const NodeId user : graph.users(node))
            if (const BoxId to = tree.operation_of(user); !tree.is_inside(to, box)) outgoing.add(box, shown(to), node);
    }
    return {incoming.finish(graph), outgoing.finish(graph)};
}

}  // namespace overlap
