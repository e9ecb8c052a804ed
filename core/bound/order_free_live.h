#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/own_memory.h"

namespace overlap {

/// What is alive while heavy compute runs, in every plan whatever its order: what it needs was made, and what needs it
/// still comes. Asked of at most 1,024 operations, spread evenly. Without results of gathers, which plans make earlier
/// or later, but for those that compute itself reads.
class OrderFreeLive {
  public:
    explicit OrderFreeLive(const StepWork& work);

    /// The most over all that was asked, and over what any compute reads and returns: no plan has a lower peak. Inputs
    /// of the graph are in it.
    const LeastAlive& most() const { return most_; }

    /// The heavy compute that has to end before a collective starts, since all that uses its result comes after it, and
    /// the result has no room beside what is alive there.
    /// @param collective index of StepWork::collectives.
    std::vector<NodeId> without_room(std::size_t collective, std::int64_t limit) const;

  private:
    class Finder;

    struct Asked {
        NodeId node = no_node;
        std::int64_t bytes = 0;
        std::int64_t with_own_bytes = 0;  ///< with what it reads and returns beside that
    };

    LeastAlive most_;
    std::vector<Asked> asked_;                ///< in order of nodes
    std::vector<std::uint32_t> by_bytes_;     ///< indices of `asked_`, most bytes first
    std::vector<std::int64_t> result_bytes_;  ///< of each collective; 0 where its result may vanish early
    std::size_t blocks_ = 0;                  ///< of 64 that were asked
    /// Of each collective, a block after the other: those that all that uses its result comes after, and that do not
    /// need it.
    std::vector<std::uint64_t> used_after_;
};

}  // namespace overlap
