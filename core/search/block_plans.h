#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/search/candidate.h"

namespace overlap {

/// How a model's blocks are put into buckets: some first, then the same number again and again, and some last.
struct BlockPattern {
    std::vector<std::size_t> first{};  ///< blocks in each of the first buckets
    std::size_t period = 1;            ///< in each of those that follow; the last of them has what is left
    std::vector<std::size_t> last{};   ///< in each of the last buckets

    /// Such as `blocks by 4`, `blocks by 4, first 1 + 2, last 1`.
    std::string name() const;
    /// Of all buckets of blocks. Where there are too few blocks for all, the last ones are left out.
    std::vector<std::size_t> sizes(std::size_t blocks) const;
};

struct BlockProposal {
    Proposal proposal;
    BlockPattern pattern;
};

/// Plans whose buckets are neighbouring blocks.
class BlockPlans {
  public:
    explicit BlockPlans(const Graph& graph);

    /// The default preset with buckets of every number of neighbouring blocks up to all of them; where it computes
    /// activations again, also without that.
    std::vector<BlockProposal> periods() const;
    /// Other numbers of blocks in the first buckets, with this period, and with one block more and less.
    /// @param plan its passes stay.
    std::vector<BlockProposal> prologues(const Plan& plan, const BlockPattern& pattern) const;
    /// Other numbers of blocks in the last buckets.
    std::vector<BlockProposal> epilogues(const Plan& plan, const BlockPattern& pattern) const;

  private:
    std::vector<BucketEntry> buckets_of(const BlockPattern& pattern) const;
    /// Where the default preset does.
    bool does_not_recompute(const Plan& plan) const;
    std::vector<BlockProposal> with_buckets(const Plan& plan, const std::vector<BlockPattern>& patterns) const;

    const Graph& graph_;
    ModuleTree tree_;
    std::size_t blocks_;
};

}  // namespace overlap
