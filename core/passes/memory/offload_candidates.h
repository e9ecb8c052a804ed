#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/recompute_tags.h"
#include "core/passes/memory/symbolic_tensors.h"

namespace overlap::memory {

/// What was chosen for offloading.
struct OffloadChoice {
    std::size_t candidates = 0;
    std::size_t chosen = 0;
    std::int64_t bytes = 0;  ///< of the chosen tensors; those of symbolic sizes count as smallest_offload
};

/// Tensors with fewer bytes are never offloaded.
inline constexpr std::int64_t smallest_offload = 4096;

/// Which tensors can be offloaded, whatever their tags.
class OffloadableTensors {
  public:
    OffloadableTensors(const Graph& graph, const MemoryOperators& operators)
        : graph_(graph), operators_(operators), symbolic_(graph) {}

    /// Bytes of a call's result; smallest_offload where its size is symbolic, 0 where it cannot be offloaded: a view, a
    /// collective, no single contiguous tensor, or too few bytes.
    std::int64_t bytes(NodeId node) const;

  private:
    const Graph& graph_;
    const MemoryOperators& operators_;
    SymbolicTensors symbolic_;
};

/// What was decided before the budget is used.
struct OffloadDecisions {
    std::span<const std::uint8_t> decided;  ///< by node: not to be chosen; empty where none is
    std::int64_t bytes = 0;                 ///< of the budget, used up
};

/// Tags saved activations of all layers but the last for offloading, the largest first, as far as the budget goes
/// (torchtitan/experiments/graph_trainer/cpu_offload.py, `tag_all_offloadable_activations`).
/// @param layers of the nodes. @param tags of the nodes; changed.
/// @param budget_gb GiB of the host's memory for this rank; 0 or less is no limit.
OffloadChoice choose_offloads(const Graph& graph, const MemoryOperators& operators,
                              std::span<const std::int64_t> layers, std::vector<RecomputeTag>& tags, double budget_gb,
                              const OffloadDecisions& before = {});

}  // namespace overlap::memory
