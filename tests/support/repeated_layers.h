#pragma once

#include <memory>

#include "core/graph/graph.h"

namespace overlap::test {

/// The training step of a model with `times` as many layers, made of a real one, for measuring how times grow.
///
/// All nodes of all layers occur `times` times: first the forward pass of each repetition, then the backward passes
/// in reverse. What enters the first layer of a repetition is what leaves the last layer of the one before, gradients
/// the other way round. Embeddings, head and loss occur once. Layers are numbered on: of N layers, `layers.i` of
/// repetition r is `layers.(i + r * N)`. Repetitions have parameters, storages and names of their own, numbered on as
/// torch.fx does; the first keeps all names. Estimates and links are those of the original.
///
/// @param graph a joint graph whose nodes have `custom.module_fqn`, with modules `layers.0`, `layers.1`, ...
/// @param times at least 1.
/// @throws std::invalid_argument when no node is in a layer or a node has a module stack.
std::shared_ptr<const Graph> repeat_layers(const Graph& graph, std::uint32_t times);

/// The smallest number of repetitions that gives at least `node_count` nodes.
std::uint32_t repetitions_for(const Graph& graph, std::uint32_t node_count);

}  // namespace overlap::test
