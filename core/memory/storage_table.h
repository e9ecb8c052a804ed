#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Which outputs share memory, and until when it is held.
enum class StorageRule {
    reference,  ///< as torch: the storage number decides, and the last node that consumes it releases it
    /// What a job holds at most. A node that allocates has a storage of its own: recomputed nodes do not share with
    /// their originals. An output shares memory only with an input of its node: one that claims the same storage
    /// (views, in-place operators), and what waits, views and items take, also where a trace gives their result a
    /// number of its own. What the graph is given (placeholders, get_attr) shares by number and stays. What a
    /// collective or a copy between device and host reads is held until its wait, or to the end where nothing awaits
    /// it; what no node consumes goes with the node that returns it.
    corrected,
};

using StorageIndex = std::uint32_t;

/// One piece of memory that nodes of a graph return.
struct Storage {
    std::int64_t bytes = 0;
    NodeId allocator = no_node;    ///< the first node that returns it
    NodeId released_by = no_node;  ///< the node behind which it is free: its last user or the wait; no_node: none
    std::uint32_t number = 0;      ///< the file's
    StringId device = empty_string;
    StorageIndex same_number = 0xffffffffu;  ///< further storage of that number, on another device
    bool counted = false;                    ///< not on a CPU
};

/// Storages of a graph: those that each node's outputs lie in, who allocates and who releases them
/// (torch/_inductor/fx_passes/memory_estimator.py, GraphAliasTracker).
class StorageTable {
  public:
    StorageTable(const Graph& graph, StorageRule rule);

    const std::vector<Storage>& storages() const { return storages_; }

    /// Storages that the outputs of `node` lie in, each once, in order.
    std::span<const StorageIndex> held_by(NodeId node) const {
        return {held_.data() + offsets_[node], held_.data() + offsets_[node + 1]};
    }

    /// The storage of a node's output of that index; no_storage where it is no tensor.
    StorageIndex of_output(NodeId node, std::size_t output) const { return of_output_[first_output_[node] + output]; }
    static constexpr StorageIndex no_storage = 0xffffffffu;

  private:
    class Finder;

    std::vector<Storage> storages_;
    std::vector<StorageIndex> held_, of_output_;
    std::vector<std::uint32_t> offsets_{0}, first_output_;  ///< by node, of `held_` and `of_output_`
};

}  // namespace overlap
