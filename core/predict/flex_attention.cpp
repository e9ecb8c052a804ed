#include "core/predict/flex_attention.h"

#include <algorithm>

namespace overlap {

bool is_flex_attention(const Graph& graph, NodeId node) {
    return graph.target(node).starts_with("higher_order.flex_attention");
}

std::optional<std::int64_t> flex_attention_length(const Graph& graph) {
    constexpr std::size_t key_argument = 1, length_dimension = 2;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || !is_flex_attention(graph, node)) continue;
        const Value* key = graph.argument(node, key_argument);
        if (!key || !key->is(ValueKind::node) || graph.outputs(key->node).empty()) continue;
        const std::span<const std::int64_t> shape = graph.shape(graph.outputs(key->node)[0]);
        if (shape.size() > length_dimension) return shape[length_dimension];
    }
    return std::nullopt;
}

double causal_density(std::int64_t document, std::int64_t length) {
    constexpr double causal_half = 0.5;
    const double share = static_cast<double>(document) / static_cast<double>(length);
    return causal_half * std::min(share, 1.0);
}

}  // namespace overlap
