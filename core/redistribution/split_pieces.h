#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/graph/graph.h"
#include "core/mesh/redistribution.h"

namespace overlap {

/// Pieces of a split along one dimension, as far as they are used.
struct SplitPieces {
    std::int64_t count = 0;  ///< of the split
    int dim = 0;
    Extents whole;                      ///< shape of what is split
    std::vector<NodeId> getitems;       ///< those with users
    std::vector<std::int64_t> indices;  ///< of the pieces that `getitems` take, in their order
    /// The cat that takes all pieces, padded or not, in order, and nothing else; no_node if there is none.
    NodeId cat = no_node;
    int cat_dim = 0;  ///< of `cat`
};

/// What becomes of the pieces of a split.
/// @param whole shape of what the node `split` splits.
/// @param along where given, other nodes do not count.
/// @returns no pieces where something takes all of them at once.
SplitPieces pieces_of_split(const Graph& graph, NodeId split, const Extents& whole,
                            const std::unordered_set<NodeId>* along);

}  // namespace overlap
