#pragma once

#include "core/cost/fused_values.h"
#include "core/memory/storage_table.h"

namespace overlap {

/// The storages of a graph that estimates of memory count. By the corrected rule those of fused products are among
/// them, whose sizes follow from what is around them; PyTorch's estimate has no sizes for them.
class CountedMemory {
  public:
    CountedMemory(const CountedMemory&) = delete;  // it refers to its own graph
    CountedMemory& operator=(const CountedMemory&) = delete;
    CountedMemory(const Graph& graph, StorageRule rule)
        : values_(graph), graph_(rule == StorageRule::corrected ? values_.graph() : graph), table_(graph_, rule) {}

    /// The nodes of the graph that was given, all with the tensors that are counted.
    const Graph& graph() const { return graph_; }
    const StorageTable& table() const { return table_; }

  private:
    FusedValues values_;
    const Graph& graph_;
    StorageTable table_;
};

}  // namespace overlap
