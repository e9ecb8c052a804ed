#include "core/views/recomputed_time.h"

#include <string_view>

#include "core/graph/direction.h"

namespace overlap {
namespace {

/// The name without the half that a node was cut into.
std::string_view without_half(std::string_view name) {
    for (const std::string_view half : {"_chunk0", "_chunk1"})
        if (name.ends_with(half)) return name.substr(0, name.size() - half.size());
    return name;
}

/// The node of the input that `name` does again, maybe more than once and maybe of one half, which was cut before or
/// after; no_node where there is none. What joins the halves of such a node does nothing again.
NodeId done_again_by(const Graph& input, std::string_view name) {
    NodeId node = no_node;
    const std::size_t join = name.rfind("_chunk_materialized"), last = name.rfind("_recomputed");
    if (join != std::string_view::npos && last != std::string_view::npos && join > last) return node;
    for (std::size_t end = last; node == no_node && end != std::string_view::npos; end = name.rfind("_recomputed")) {
        name = name.substr(0, end);
        node = input.find(name);
        if (node == no_node) node = input.find(without_half(name));
    }
    return node;
}

}  // namespace

std::vector<double> recomputed_ms_of_input(const Evaluation& evaluation) {
    std::vector<double> recomputed_ms;
    if (evaluation.refused) return recomputed_ms;
    const Graph& graph = *evaluation.graph;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        // What the input has is no work that the plan adds.
        if (evaluation.origin[node] != no_node || evaluation.times_ms[node] <= 0) continue;
        if (graph.target_info(node).starts != CollectiveKind::none || !is_recomputed(graph, node)) continue;
        const NodeId original = done_again_by(*evaluation.input, graph.name(node));
        if (original == no_node) continue;
        if (recomputed_ms.empty()) recomputed_ms.assign(evaluation.input->node_count(), 0);
        recomputed_ms[original] += evaluation.times_ms[node];
    }
    return recomputed_ms;
}

}  // namespace overlap
