#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/mesh/redistribution.h"

namespace overlap {

/// One change of layout that nodes of a graph make to a parameter or a gradient.
struct PathAction {
    /// all_gather, all_to_all, all_reduce, reduce_scatter or chunk.
    StepKind kind = StepKind::unsupported;
    NodeId node = no_node;      ///< the collective that starts, or the split or slice of a chunk
    std::string process_group;  ///< empty for a chunk, which names none
    int source_dim = -1;        ///< tensor dimension that is gathered
    int target_dim = -1;        ///< tensor dimension that is scattered or cut
    ReduceOp reduce_op = ReduceOp::sum;
    std::int64_t parts = 0;  ///< ranks of the group, or pieces of a chunk
    std::int64_t part = 0;   ///< the piece of a chunk that this rank keeps
    Extents shape_after;     ///< of this rank's tensor, padding cut off
};

/// A tensor's way through collectives of its own.
struct RedistributionPath {
    NodeId begin = no_node;  ///< the value before the first action
    NodeId end = no_node;    ///< the value after the last one
    Extents shape_before;    ///< of this rank's tensor at `begin`
    std::vector<PathAction> actions;
    /// Why the path could not be read where it is; a sentence without full stop, empty when it could.
    std::string obstacle;

    const Extents& shape_after() const { return actions.empty() ? shape_before : actions.back().shape_after; }
};

/// Ways from a parameter through collectives. What is recognised, as torch's DTensor, FSDP and functional collectives
/// write it (torch/distributed/tensor/placement_types.py, torch/distributed/_functional_collectives.py):
///
/// * casts, copies, aliases and views that keep the shape are passed over, paddings too;
/// * `all_gather_into_tensor`: a gather of tensor dimension 0; followed by a split of dimension 0 in the group's size
///   and a cat of all pieces, in order, along d: a gather of dimension d;
/// * a slice that cuts off padding after it;
/// * `reduce_scatter_tensor`: a scatter of dimension 0; after a split of dimension d and a cat of all pieces (padded or
///   not), in order, along 0: a scatter of dimension d;
/// * `all_reduce`, and `_dtensor.shard_dim_alltoall`, which names its dimensions;
/// * behind a collective, a split of which one piece is used, or a slice of an equal piece: a chunk.
///
/// A path ends before anything else: computation, transpositions, views that change the shape.
/// Distinct ways of one parameter (gathered for forward and again for backward) are distinct paths; a path that is the
/// beginning of another one is left out, and so is one without collectives.
std::vector<RedistributionPath> paths_from(const Graph& graph, NodeId parameter);

/// The way through collectives that ends in `value`, such as a gradient among the graph's outputs: by the same rules,
/// read from its end. Nothing where no collective leads to it.
std::optional<RedistributionPath> path_to(const Graph& graph, NodeId value);

}  // namespace overlap
