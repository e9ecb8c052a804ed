#pragma once

#include "core/graph/graph.h"

namespace overlap {

/// Whether a node belongs to the backward direction: the graph says so (`autograd_backward`, else `partitioner_tag`),
/// else it has a `fwd_module_stack` only.
bool is_backward(const Graph& graph, NodeId node);

/// Whether the node is forward work done again in the backward pass: torch's partitioner calls it `…_recomputed`.
bool is_recomputed(const Graph& graph, NodeId node);

/// Whether the node runs in the backward part: backward nodes and recomputed ones.
bool runs_in_backward(const Graph& graph, NodeId node);

}  // namespace overlap
