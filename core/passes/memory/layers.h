#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::memory {

/// Of a node in no layer.
inline constexpr std::int64_t not_in_layers = -1;

/// The number N of a module `layers.N...`, else not_in_layers; N is read as Python's int() reads it
/// (torchtitan/experiments/graph_trainer/common_utils.py, `_get_layer_id`).
/// @throws InputError for a number beyond 64 bits.
std::int64_t layer_of_module(std::string_view module);

/// The layer of each node, by its `custom.module_fqn`.
std::vector<std::int64_t> layers_of_nodes(const Graph& graph);

/// Whether the trainer takes a node for a backward one: `autograd_backward` alone decides.
inline bool is_backward(const NodeMetadata& metadata) {
    return metadata.autograd_backward.value_or(false);
}

}  // namespace overlap::memory
