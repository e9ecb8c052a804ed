#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/step_work.h"
#include "core/memory/storage_table.h"

namespace overlap {

/// What must be alive at one moment of every plan.
struct LeastAlive {
    std::int64_t bytes = 0;
    NodeId node = no_node;  ///< that runs meanwhile; no_node: none in particular
};

/// Whether plans that compute nothing again make what a node returns once, and no smaller: compute, and collectives but
/// gathers. Not what comes before all heavy compute: there are unsharded parameters, which plans gather once or twice.
bool is_made_once(const StepWork& work, NodeId node);

/// What must be alive while one node runs, or at the end of the step, in every plan and any order: also where plans
/// compute activations again or move them to the host.
class OwnMemory {
  public:
    /// Both must outlive this.
    OwnMemory(const StepWork& work, const StorageTable& table);

    /// What the graph is given: alive all the time.
    std::int64_t held_bytes() const { return held_bytes_; }

    /// What a node reads and returns beside that: pieces of memory that are different ones in every plan.
    std::vector<StorageIndex> of(NodeId node) const;

    std::int64_t bytes_of(StorageIndex storage) const { return table_.storages()[storage].bytes; }

    /// The most that any node reads and returns, or that the step returns, with held_bytes().
    LeastAlive most() const;

  private:
    bool counts(StorageIndex storage) const;
    NodeId gathered_from(NodeId gather) const;
    std::int64_t returned_bytes() const;

    const StepWork& work_;
    const Graph& graph_;
    const StorageTable& table_;
    std::int64_t held_bytes_ = 0;
};

}  // namespace overlap
