#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bound/step_work.h"

namespace overlap {

/// Which nodes each collective waits for, and which wait for it: a bit for each of 64 collectives at a time. Takes
/// nodes * collectives / 64 steps.
class CollectiveReach {
  public:
    static constexpr std::size_t block_size = 64;

    explicit CollectiveReach(const StepWork& work);

    /// How many blocks of collectives there are: collective `i` of StepWork::collectives is bit `i % 64` of block
    /// `i / 64`.
    std::size_t blocks() const { return blocks_; }
    /// Of each node the collectives that cannot start before it has ended; of a wait before it is over.
    std::span<const std::uint64_t> before(std::size_t block) const { return of(before_, block); }
    /// Of each node the collectives that must have ended before it starts.
    std::span<const std::uint64_t> after(std::size_t block) const { return of(after_, block); }

  private:
    std::span<const std::uint64_t> of(const std::vector<std::uint64_t>& bits, std::size_t block) const {
        return std::span(bits).subspan(block * nodes_, nodes_);
    }

    std::size_t nodes_, blocks_;
    std::vector<std::uint64_t> before_, after_;  ///< by block, then by node
};

}  // namespace overlap
