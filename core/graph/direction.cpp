#include "core/graph/direction.h"

namespace overlap {

bool is_backward(const Graph& graph, NodeId node) {
    const NodeMetadata& metadata = graph.metadata(node);
    if (metadata.autograd_backward) return *metadata.autograd_backward;
    if (metadata.partitioner_tag != empty_string) return graph.text(metadata.partitioner_tag) == "is_backward";
    return metadata.module_stack == 0 && metadata.fwd_module_stack != 0;
}

bool is_recomputed(const Graph& graph, NodeId node) {
    return graph.name(node).find("_recomputed") != std::string_view::npos;
}

bool runs_in_backward(const Graph& graph, NodeId node) {
    return is_backward(graph, node) || is_recomputed(graph, node);
}

}  // namespace overlap
