#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace overlap {

/// Memory in one piece of unlimited length, of which gaps are used again: best fit, and neighbouring gaps are merged.
/// All amounts are in bytes.
class MemoryPool {
  public:
    /// @returns the offset of a free stretch of so many bytes.
    std::int64_t take(std::int64_t bytes);
    /// @pre `offset` was taken with as many bytes and has not been given back.
    void give_back(std::int64_t offset, std::int64_t bytes);
    /// The end of what was ever taken.
    std::int64_t size() const { return end_; }

  private:
    std::int64_t grow(std::int64_t bytes);
    void insert(std::int64_t offset, std::int64_t bytes);
    void remove(std::int64_t offset, std::int64_t bytes);

    std::int64_t end_ = 0;
    std::map<std::int64_t, std::int64_t> by_offset_;
    std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
};

}  // namespace overlap
