#pragma once

#include <cstddef>
#include <span>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// What the option `safe` adds to a merged gather, and the reference does not: each result reads its buffer through
///
///     control_deps((copy,), subgraph_alias, buffer)
///
/// an alias of the buffer that depends on the `split_with_sizes_copy.out` that fills it, expressed as the reference
/// expresses explicit orderings. With this edge no move or sort can bring a reader before the copy. The alias takes
/// nothing but the buffer, so a graph file holds all that is needed to execute it.
/// @param merged the nodes that a merge made, in their order.
/// @returns how many results got the edge: none where the bucket unpacks by views, which have it anyway.
std::size_t order_reads_after_fill(GraphEditor& graph, std::span<const NodeId> merged);

/// Whether a node is such a wrapper: a control_deps around `aten.alias` that waits for the copy.
bool orders_read_after_fill(const Graph& graph, NodeId node);

}  // namespace overlap
