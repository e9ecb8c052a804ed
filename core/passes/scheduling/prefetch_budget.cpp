#include "core/passes/scheduling/prefetch_budget.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace overlap::scheduling {

PrefetchBudget::PrefetchBudget(std::size_t compute_count, std::int64_t in_flight_limit)
    : in_flight_limit_(in_flight_limit),
      limit_bytes_(std::numeric_limits<std::int64_t>::max()),
      prefetched_(compute_count) {}

void PrefetchBudget::limit_memory(std::vector<std::int64_t> before_compute, std::int64_t limit_bytes) {
    limit_bytes_ = limit_bytes;
    before_most_.push_back(std::move(before_compute));
    for (std::size_t half = 1; 2 * half <= before_most_.front().size(); half *= 2) {
        const std::vector<std::int64_t>& below = before_most_.back();
        std::vector<std::int64_t> level(below.size() - half);
        for (std::size_t index = 0; index < level.size(); ++index) {
            level[index] = std::max(below[index], below[index + half]);
        }
        before_most_.push_back(std::move(level));
    }
}

std::int64_t PrefetchBudget::most_before(std::uint32_t first, std::uint32_t last) const {
    const auto level = static_cast<std::size_t>(std::bit_width(last - first) - 1);
    return std::max(before_most_[level][first], before_most_[level][last - (std::uint32_t{1} << level)]);
}

bool PrefetchBudget::exceeded_by(std::int64_t bytes, std::uint32_t first, std::uint32_t last) const {
    if (first >= last) return false;
    // Every prefetch began at or before `first`, so the prefetched memory never rises after it.
    if (prefetched_[first] + bytes > in_flight_limit_) return true;
    if (before_most_.empty()) return false;
    const std::int64_t allowed = limit_bytes_ - bytes;
    if (most_before(first, last) + prefetched_[first] <= allowed) return false;
    const std::vector<std::int64_t>& before = before_most_.front();
    for (std::uint32_t index = first; index < last; ++index) {
        if (before[index] + prefetched_[index] > allowed) return true;
    }
    return false;
}

void PrefetchBudget::add(std::int64_t bytes, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t index = first; index < last; ++index) prefetched_[index] += bytes;
}

}  // namespace overlap::scheduling
