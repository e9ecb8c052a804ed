#pragma once

#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/memory/memory_operators.h"

namespace overlap::memory {

/// Tensors that the graph offloads and what brings them back, so that what is computed again reads what came back
/// (torchtitan/experiments/graph_trainer/selective_activation_remat.py, `ensure_offload_chain_before`).
class ReloadChains {
  public:
    /// Finds tensor -> ao.offload -> ao.wait_tensor -> ao.reload -> ao.wait_tensor, each the first user of its kind.
    ReloadChains(const Graph& graph, const MemoryOperators& operators);

    bool empty() const { return empty_; }

    /// The last wait of the chain of an offloaded node of the graph, else no_node.
    NodeId reloaded(NodeId node) const { return empty_ || node >= reloaded_.size() ? no_node : reloaded_[node]; }

    /// Moves the backward part of the chain that ends in `wait` before `target`, as far as it is not there yet:
    /// torchtitan judges by where nodes were at first or the last target that they were moved to. What it moves stands
    /// directly before the target, so that nothing hides the copy any more.
    /// @param editor of the graph that the chains were found in.
    void move_before(GraphEditor& editor, NodeId wait, NodeId target);

    /// Reloads that were moved, ascending.
    std::vector<NodeId> moved_reloads(const GraphEditor& editor) const;

  private:
    const Graph& graph_;
    std::vector<NodeId> reloaded_;  ///< by node
    std::vector<NodeId> moved_to_;  ///< by node: the last target, or no_node
    bool empty_ = true;
};

}  // namespace overlap::memory
