#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// A collective that torch's passes recognise: the node that a wait awaits directly, and the wait.
struct RecognisedCollective {
    NodeId start;
    NodeId wait;
};

/// The collectives of a graph as the manual pass registers them, in order of their waits; of several waits on one start
/// the last one counts (torch/_inductor/fx_passes/overlap_manual_scheduling.py, `_identify_collectives`).
/// @throws InputError where the reference raises: a wait behind a getitem (a coalesced collective).
std::vector<RecognisedCollective> recognised_collectives(const Graph& graph);

/// Which collective starts depend on which others' results, in the original graph and through the merges planned so far
/// (the reference's `_BucketPlanReachability` and `_split_independent_collectives`).
///
/// The reference keeps a bit set of ancestors for every collective. Most groups need none: where no member has a
/// collective among its ancestors (parameters' gathers), or no member leads to another collective (gradients'
/// reductions), the members are independent, and no merge can change that. Bit sets are built for the first group that
/// is neither.
class CollectiveReachability {
  public:
    CollectiveReachability(const Graph& graph, std::span<const RecognisedCollective> collectives);

    /// Partition of same-key starts into buckets without inner dependencies: level = longest chain ending there.
    /// @param starts nodes of the graph; order is kept inside a level.
    std::vector<std::vector<NodeId>> independent_levels(std::span<const NodeId> starts);

    /// Records that `starts` will be merged into one, so that later queries see the dependencies that this makes.
    /// @throws InputError when one depends on another.
    void plan_merge(std::span<const NodeId> starts);

    /// The wait registered for a start.
    NodeId wait_of(NodeId start) const { return wait_of_[start]; }

  private:
    using Bits = std::vector<std::uint64_t>;
    struct Merge {
        Bits members, predecessors;
    };

    bool surely_independent(std::span<const NodeId> starts) const;
    void build_ancestors();
    void replay_merge(std::span<const NodeId> starts);
    const Bits& ancestors(std::uint32_t endpoint);

    const Graph& graph_;
    std::vector<NodeId> endpoints_;              ///< starts and waits in graph order
    std::vector<std::uint32_t> endpoint_index_;  ///< by node; no_node where it is none
    std::vector<NodeId> wait_of_;
    std::vector<bool> has_collective_ancestor_, leads_to_start_;
    std::vector<std::vector<NodeId>> planned_;

    bool built_ = false;
    std::vector<Bits> ancestors_;           ///< by endpoint
    std::vector<std::size_t> merges_seen_;  ///< by endpoint: how many merges its ancestors include
    std::vector<Merge> merges_;
};

}  // namespace overlap
