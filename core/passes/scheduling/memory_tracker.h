#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/storage_table.h"
#include "core/passes/scheduling/symbolic_sizes.h"

namespace overlap::scheduling {

/// Which storages each node of a sorted graph allocates and consumes; those on a CPU are left out.
class StorageUses {
  public:
    StorageUses(const Graph& graph, const SymbolicSizes& sizes);

    const Graph& graph() const { return graph_; }
    const std::vector<Storage>& storages() const { return table_.storages(); }
    /// Bytes of a storage; where its size is symbolic, the size that torch assumes.
    std::int64_t bytes(StorageIndex storage) const { return bytes_[storage]; }
    /// Storages of the inputs of `node`, each once.
    std::span<const StorageIndex> used_by(NodeId node) const { return range(uses_, use_offsets_, node); }
    /// Storages that no earlier node returns.
    std::span<const StorageIndex> allocated_by(NodeId node) const { return range(fresh_, fresh_offsets_, node); }
    /// How many nodes consume a storage.
    const std::vector<std::uint32_t>& user_counts() const { return user_counts_; }
    /// Whether the last use of a storage frees it: torch keeps what a node named `primals...` returns.
    bool is_released(StorageIndex storage) const { return released_[storage]; }

  private:
    static std::span<const StorageIndex> range(const std::vector<StorageIndex>& items,
                                               const std::vector<std::uint32_t>& offsets, NodeId node) {
        return {items.data() + offsets[node], offsets[node + 1] - offsets[node]};
    }

    const Graph& graph_;
    StorageTable table_;
    std::vector<StorageIndex> uses_, fresh_;
    std::vector<std::uint32_t> use_offsets_{0}, fresh_offsets_{0};
    std::vector<std::uint32_t> user_counts_;
    std::vector<bool> released_;
    std::vector<std::int64_t> bytes_;
};

/// Bytes held while nodes run in an order that is found node by node
/// (torch/_inductor/fx_passes/memory_estimator.py, MemoryTracker).
class MemoryTracker {
  public:
    explicit MemoryTracker(const StorageUses& uses);

    /// @pre each node once, after its inputs.
    /// @throws InputError where torch raises: an input is in a storage whose first node has not run.
    void schedule(NodeId node);
    std::int64_t current_bytes() const { return current_bytes_; }

  private:
    const StorageUses& uses_;
    std::vector<std::uint32_t> remaining_users_;
    std::vector<bool> live_;
    std::int64_t current_bytes_ = 0;
};

/// Memory of the order that the scheduler starts from (`_compute_baseline_memory`).
struct BaselineMemory {
    std::int64_t peak_bytes = 0;  ///< over what is held after each node
    /// For each compute node, in order: the most that is held after a node since the compute node before it.
    std::vector<std::int64_t> before_compute;
};
BaselineMemory baseline_memory(const StorageUses& uses, std::span<const NodeId> compute);

}  // namespace overlap::scheduling
