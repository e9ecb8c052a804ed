#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// What a node of a bucket does for the order.
enum class BucketRole : std::uint8_t {
    none,
    all_gather,
    all_gather_wait,
    reduce_scatter,
    reduce_scatter_wait,
    all_reduce,
    all_reduce_wait,
};

/// Roles of the nodes that the merges made, by node number, and the wait that represents all waits of a bucket.
class BucketRoles {
  public:
    void set(NodeId node, BucketRole role);
    void set_canonical_wait(NodeId wait, NodeId canonical);
    BucketRole of(NodeId node) const { return node < roles_.size() ? roles_[node] : BucketRole::none; }
    NodeId canonical_wait(NodeId wait) const { return canonical_[wait]; }

  private:
    std::vector<BucketRole> roles_;
    std::vector<NodeId> canonical_;
};

/// "target comes after each of its sources", in the order in which the reference's map holds them.
using OverlapDependencies = std::vector<std::pair<NodeId, std::vector<NodeId>>>;

/// Roles of a bucket's start and waits.
BucketRole start_role(CollectiveKind kind);
BucketRole wait_role(CollectiveKind kind);

/// The overlaps that the manual pass creates: each reduction's wait behind the next reduction's start, each gather
/// before the wait of the gather ahead of it (torch/_inductor/fx_passes/overlap_manual_scheduling.py,
/// `_manual_reorder_graph`).
OverlapDependencies overlap_dependencies(const GraphEditor& graph, const BucketRoles& roles);

/// The same for a joint graph as torchtitan orders it (JointManualOverlapScheduler): all-reduces are not moved, and
/// gathers of one direction are prefetched over that direction only.
/// @param in_scope nodes of the source that some plan entry selects, by number.
OverlapDependencies joint_overlap_dependencies(const GraphEditor& graph, const BucketRoles& roles,
                                               const std::vector<bool>& in_scope);

/// Moves nodes so that the dependencies hold where that is possible (`_move_overlap_nodes`): waits and what follows
/// only from them behind the latest start, gathers and what they need before the wait; then repairs the order.
/// @returns false when the repair finds a cycle.
bool move_overlap_nodes(GraphEditor& graph, const OverlapDependencies& dependencies, const BucketRoles& roles);

/// Wraps each target into `higher_order.control_deps` on its sources, so that later passes keep the order
/// (torch/_inductor/fx_passes/control_dependencies.py, `preserve_node_ordering`). The result is as the reference leaves
/// it: where a source depends on its target, the graph is cyclic and not in topological order.
/// @throws InputError when a target is no call_function.
void insert_control_deps(GraphEditor& graph, const OverlapDependencies& dependencies);

/// Sorts the graph if one of `changed` comes before an input or after a user; erased nodes are skipped
/// (`_do_stable_topological_sort_if_needed`).
/// @returns false when the graph has a cycle.
bool sort_if_needed(GraphEditor& graph, const std::vector<NodeId>& changed);

}  // namespace overlap
