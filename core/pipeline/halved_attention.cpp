#include "core/pipeline/halved_attention.h"

#include "core/passes/experts/chunk_metadata.h"
#include "core/predict/flex_attention.h"

namespace overlap {

void price_halved_attention(const Graph& graph, std::vector<double>& times_ms) {
    // Of most graphs no node is of a half, or none is such attention.
    if (!graph.extra_json_mentions("chunk_id") || !flex_attention_length(graph)) return;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || !is_flex_attention(graph, node)) continue;
        if (graph.metadata(node).estimate_ms || graph.outputs(node).empty() ||
            !experts::shown_chunk_place(graph, node).chunk)
            continue;
        const TensorMeta& first = graph.outputs(node).front();
        if (!first.is_tensor) continue;
        const auto sizes = graph.shape(first);
        if (!sizes.empty() && sizes.front() == 1) times_ms[node] *= 2;
    }
}

}  // namespace overlap
