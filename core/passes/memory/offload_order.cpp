#include "core/passes/memory/offload_order.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/passes/memory/layers.h"

namespace overlap::memory {

namespace {

/// Nodes in a row often are of one module: its layer is worked out once for them.
class LayerReader {
  public:
    explicit LayerReader(const GraphEditor& editor) : editor_(editor) {}
    std::int64_t operator()(NodeId node) {
        const StringId module = editor_.metadata(node).module_fqn;
        if (module != last_) {
            last_ = module;
            layer_ = layer_of_module(editor_.text(module));
        }
        return layer_;
    }

  private:
    const GraphEditor& editor_;
    StringId last_ = empty_string;
    std::int64_t layer_ = not_in_layers;
};

bool is_transfer(const GraphEditor& editor, const MemoryOperators& operators, NodeId node) {
    if (operators.has(editor.record(node), MemoryOperators::transfer)) return true;
    // The pass's own nodes may have operators that the graph did not have.
    return editor.is_new(node) && editor.target(node).starts_with("ao.");
}

}  // namespace

void defer_offload_waits(GraphEditor& editor, std::span<const OffloadWait> waits, std::int64_t stretches) {
    constexpr std::uint32_t in_none = 0xffffffffu;
    std::vector<NodeId> anchors;
    std::vector<std::uint32_t> stretch_of(editor.number_count(), in_none);
    std::optional<std::int64_t> current;
    LayerReader layer_of(editor);
    for (NodeId node = editor.first(); node != no_node; node = editor.next(node)) {
        if (editor.op(node) != NodeOp::call_function) continue;
        if (is_backward(editor.metadata(node))) break;
        const std::int64_t layer = layer_of(node);
        if (current != layer) {
            anchors.push_back(node);
            current = layer;
        }
        anchors.back() = node;
        stretch_of[node] = static_cast<std::uint32_t>(anchors.size() - 1);
    }
    for (const OffloadWait& moved : waits) {
        const std::uint32_t own = stretch_of[moved.node];
        if (own == in_none) continue;
        const std::uint32_t last_use = moved.last_use == no_node ? in_none : stretch_of[moved.last_use];
        const auto last = static_cast<std::int64_t>(anchors.size()) - 1;
        const std::int64_t later = std::min(own + std::min(stretches, last), last);
        const std::int64_t place = std::max<std::int64_t>(later, last_use == in_none ? own : last_use);
        editor.move_after(moved.wait, anchors[static_cast<std::size_t>(place)]);
    }
}

void prefetch_reloads(GraphEditor& editor, const MemoryOperators& operators, std::int64_t layers) {
    struct Layer {
        std::size_t anchor;  ///< of its first stretch of backward nodes
        std::int64_t place;  ///< among the layers of the backward pass
    };
    std::vector<NodeId> anchors;
    std::vector<std::size_t> first_anchors;  ///< of the layers in the order of the backward pass
    std::unordered_map<std::int64_t, Layer> by_layer;
    struct Reload {
        NodeId node;
        std::int64_t layer;
    };
    std::vector<Reload> reloads;
    std::optional<std::int64_t> current;
    LayerReader layer_of(editor);
    for (NodeId node = editor.first(); node != no_node; node = editor.next(node)) {
        if (editor.op(node) != NodeOp::call_function || !is_backward(editor.metadata(node))) continue;
        const std::int64_t layer = layer_of(node);
        if (is_transfer(editor, operators, node)) {
            if (editor.target(node) == reload_operator) reloads.push_back({node, layer});
            continue;
        }
        if (current == layer) continue;
        current = layer;
        if (layer != not_in_layers) {
            const auto place = static_cast<std::int64_t>(first_anchors.size());
            if (by_layer.emplace(layer, Layer{anchors.size(), place}).second) first_anchors.push_back(anchors.size());
        }
        anchors.push_back(node);
    }
    for (const Reload& reload : reloads) {
        const auto layer = by_layer.find(reload.layer);
        if (layer == by_layer.end()) continue;
        const auto& [own, place] = layer->second;
        // Beyond the layers lies what comes before them: the backward pass of the loss.
        const std::size_t wanted = place < layers ? 0 : first_anchors[static_cast<std::size_t>(place - layers)];
        if (wanted < own) editor.move_before(reload.node, anchors[wanted]);
    }
}

}  // namespace overlap::memory
