#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Whether two nodes that claim one storage number share memory.
enum class StorageRule {
    reference,  ///< as torch: the number alone decides
    /// A node that allocates has a storage of its own: recomputed nodes do not share with their originals. An output
    /// shares memory only with an input of its node that claims the same storage (views, in-place operators); what the
    /// graph is given (placeholders, get_attr) shares by number.
    corrected,
};

using StorageIndex = std::uint32_t;

/// One piece of memory that nodes of a graph return.
struct Storage {
    std::int64_t bytes = 0;
    NodeId allocator = no_node;  ///< the first node that returns it
    NodeId last_user = no_node;  ///< no_node where no node consumes what returns it
    std::uint32_t number = 0;    ///< the file's
    StringId device = empty_string;
    StorageIndex same_number = 0xffffffffu;  ///< further storage of that number, on another device
    bool counted = false;                    ///< not on a CPU
};

/// Storages of a graph: those that each node's outputs lie in, who allocates them and who uses them last
/// (torch/_inductor/fx_passes/memory_estimator.py, GraphAliasTracker).
class StorageTable {
  public:
    StorageTable(const Graph& graph, StorageRule rule);

    const std::vector<Storage>& storages() const { return storages_; }

    /// Storages that the outputs of `node` lie in, each once, in order.
    std::span<const StorageIndex> held_by(NodeId node) const {
        return {held_.data() + offsets_[node], held_.data() + offsets_[node + 1]};
    }

  private:
    static constexpr StorageIndex no_storage = 0xffffffffu;

    void add_output(NodeId node, const TensorMeta& tensor);
    bool number_decides(NodeId node) const;
    StorageIndex of_this_node(const TensorMeta& tensor) const;
    StorageIndex find_in(std::span<const StorageIndex> held, const TensorMeta& tensor) const;
    StorageIndex first_of_number(std::uint32_t number) const;
    StorageIndex allocate(NodeId node, const TensorMeta& tensor);

    const Graph& graph_;
    StorageRule rule_;
    std::uint32_t highest_ = 0;
    bool dense_ = true;
    std::vector<Storage> storages_;
    std::vector<StorageIndex> held_;
    std::vector<std::uint32_t> offsets_;
    std::vector<StorageIndex> by_number_;
    std::unordered_map<std::uint32_t, StorageIndex> sparse_;
};

}  // namespace overlap
