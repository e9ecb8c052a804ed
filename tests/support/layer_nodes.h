// Layers of a graph, by the module paths of its nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::test {

/// How the path of a module of a layer begins; a number comes behind it.
inline constexpr std::string_view layers_prefix = "layers.";
inline constexpr std::int32_t no_layer = -1;

/// The number behind `layers.` at the start of a module path, and the text behind it; no_layer where there is none.
struct LayerPath {
    std::int32_t layer = no_layer;
    std::string_view rest;
};
LayerPath split_path(std::string_view path);

/// Which nodes of a graph belong to which layer.
class LayerNodes {
  public:
    /// Throws std::invalid_argument for a graph with module stacks, and for one without layers.
    explicit LayerNodes(const Graph& graph);

    bool is_in_layer(NodeId node) const { return layer_[node] != no_layer; }
    std::int32_t layer_count() const { return layer_count_; }

  private:
    /// A parameter belongs to a layer; an input that several layers read does not.
    std::int32_t layer_of_all_users(NodeId node) const;

    const Graph& graph_;
    std::vector<std::int32_t> layer_;
    std::int32_t layer_count_ = 0;
};

}  // namespace overlap::test
