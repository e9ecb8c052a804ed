#include "tests/support/layer_nodes.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

namespace overlap::test {

LayerPath split_path(std::string_view path) {
    LayerPath split;
    if (!path.starts_with(layers_prefix)) return split;
    const char* begin = path.data() + layers_prefix.size();
    const char* end = path.data() + path.size();
    std::int32_t number = 0;
    const auto [behind, error] = std::from_chars(begin, end, number);
    if (error != std::errc{} || (behind != end && *behind != '.')) return split;
    return {number, std::string_view(behind, static_cast<std::size_t>(end - behind))};
}

LayerNodes::LayerNodes(const Graph& graph) : graph_(graph), layer_(graph.node_count(), no_layer) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.metadata(node).module_stack != 0 || graph.metadata(node).fwd_module_stack != 0) {
            throw std::invalid_argument("node \"" + std::string(graph.name(node)) +
                                        "\" has a module stack: only graphs with custom.module_fqn can be repeated");
        }
        layer_[node] = split_path(graph.text(graph.metadata(node).module_fqn)).layer;
        layer_count_ = std::max(layer_count_, layer_[node] + 1);
    }
    if (layer_count_ == 0) throw std::invalid_argument("the graph has no modules layers.0, layers.1, ...");
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::placeholder) layer_[node] = layer_of_all_users(node);
    }
    // Sums of gradients between layers have no module.
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool has_module = graph.metadata(node).module_fqn != empty_string;
        if (has_module || graph.op(node) != NodeOp::call_function) continue;
        for (const NodeId input : graph.inputs(node)) layer_[node] = std::max(layer_[node], layer_[input]);
    }
}

std::int32_t LayerNodes::layer_of_all_users(NodeId node) const {
    std::int32_t layer = no_layer;
    for (const NodeId user : graph_.users(node)) {
        if (layer_[user] == no_layer || (layer != no_layer && layer != layer_[user])) return no_layer;
        layer = layer_[user];
    }
    return layer;
}

}  // namespace overlap::test
