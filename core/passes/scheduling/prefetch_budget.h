#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlap::scheduling {

/// How much memory prefetched collectives may take at each compute node that they run ahead of
/// (`_prefetch_would_exceed_memory_budget`, `_update_cumulative_prefetch_memory`).
class PrefetchBudget {
  public:
    /// Memory is not limited; the prefetched memory at one compute node is.
    explicit PrefetchBudget(std::size_t compute_count = 0, std::int64_t in_flight_limit = 0);
    /// @param before_compute bytes held in the original order at each compute node.
    void limit_memory(std::vector<std::int64_t> before_compute, std::int64_t limit_bytes);

    std::int64_t limit_bytes() const { return limit_bytes_; }
    /// Whether `bytes` more, held over the compute nodes [first, last), exceed a limit.
    /// @pre `first` is not below any former `first` of add().
    bool exceeded_by(std::int64_t bytes, std::uint32_t first, std::uint32_t last) const;
    void add(std::int64_t bytes, std::uint32_t first, std::uint32_t last);

  private:
    std::int64_t most_before(std::uint32_t first, std::uint32_t last) const;

    std::int64_t in_flight_limit_;
    std::int64_t limit_bytes_;
    std::vector<std::int64_t> prefetched_;                ///< by compute node
    std::vector<std::vector<std::int64_t>> before_most_;  ///< level l: maxima over 2^l compute nodes
};

}  // namespace overlap::scheduling
