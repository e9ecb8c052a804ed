#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::tensor_parallel {

/// An all-gather along any dimension. Along others than the first it is one along the first whose pieces are put
/// together again: cut by a split or by slices, and concatenated.
struct GatherMatch {
    std::vector<NodeId> nodes;  ///< in the order in which the reference lists them, the collective first
    NodeId shard = no_node;     ///< what is gathered
    NodeId start = no_node;     ///< the collective
    NodeId result = no_node;    ///< the node that returns the whole
    std::int64_t dimension = 0;
    Value group;  ///< the process group, as the collective has it
};

/// A reduce-scatter along any dimension, likewise.
struct ScatterMatch {
    std::vector<NodeId> nodes;  ///< in the order in which the reference lists them, the wait last
    NodeId input = no_node;     ///< what is reduced
    NodeId start = no_node, wait = no_node;
    std::int64_t dimension = 0;
    Value operation, group;
};

/// In the order of the reference.
struct CollectiveMatches {
    /// All all-gathers, one match each and of several the longest (`find_all_gather_patterns`).
    std::vector<GatherMatch> gathers;
    /// All reduce-scatters (`find_reduce_scatter_patterns`).
    std::vector<ScatterMatch> scatters;
};
CollectiveMatches find_collectives(const Graph& graph);

}  // namespace overlap::tensor_parallel
