#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/own_memory.h"

namespace overlap {

/// What is alive while each anchor of a step runs, in every plan that keeps their order: what was made for it or before
/// it and is used by it or after it. Without results of gathers, which plans make earlier or later.
class LiveBytes {
  public:
    explicit LiveBytes(const StepWork& work);

    /// The most over all compute and at the end of the step: no plan has a lower peak. Inputs of the graph are in it,
    /// and so is what the node itself reads and returns, results of gathers too.
    const LeastAlive& most() const { return most_; }

    /// The last anchor below `before` at which a collective's result could not be alive too within `limit` bytes; -1
    /// where there is none, and where nothing keeps the result alive so long.
    /// @param collective index of StepWork::collectives.
    std::int32_t last_without_room(std::size_t collective, std::int32_t before, std::int64_t limit) const;

  private:
    /// A piece of memory that is alive from one anchor to another, both included.
    struct Life {
        std::int32_t from = 0, to = -1;
        std::int64_t bytes = 0;
    };
    void find_most(const StepWork& work, const OwnMemory& own, const std::vector<Life>& lives);

    LeastAlive most_;
    std::vector<std::int64_t> tree_;  ///< maxima of a binary tree over the anchors, leaves last
    std::size_t leaves_ = 1;
    std::vector<std::int64_t> result_bytes_;  ///< of each collective; 0 where its result may vanish early
    std::vector<std::int32_t> alive_until_;   ///< the last anchor that all uses of a collective's result come after
};

}  // namespace overlap
