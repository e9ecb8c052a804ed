#pragma once

#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/recompute_tags.h"

namespace overlap::memory {

/// A tensor to offload, and who reads it in the backward pass (torchtitan/experiments/graph_trainer/cpu_offload.py,
/// `_OffloadInfo`, `_collect_view_replay_info`). All are nodes of the pass's input.
struct OffloadSite {
    NodeId node = no_node;
    std::vector<NodeId> backward_users;  ///< of the node itself, in the order of its users
    std::vector<NodeId> views;           ///< forward views of it, and views of those, ascending
    /// A view and a call of the backward pass that reads it, in the order in which a walk along users meets them.
    std::vector<std::pair<NodeId, NodeId>> view_users;
    NodeId first_backward_user = no_node;
    NodeId last_forward_user = no_node;  ///< the last call that reads the node or one of its views; it, if none does
};

/// The nodes tagged for offloading that the backward pass reads, ascending.
/// @param pass for refusals, where torchtitan raises: a tagged view, or a node whose value is no tensor.
std::vector<OffloadSite> offload_sites(const Graph& graph, const MemoryOperators& operators,
                                       const std::vector<RecomputeTag>& tags, std::string_view pass);

}  // namespace overlap::memory
