#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// A set of collectives.
class CollectiveSet {
  public:
    explicit CollectiveSet(std::size_t collectives = 0) : words_((collectives + 63) / 64) {}
    bool has(Index index) const { return words_[index / 64] >> index % 64 & 1; }
    void add(Index index) { words_[index / 64] |= std::uint64_t{1} << index % 64; }
    void remove(Index index) { words_[index / 64] &= ~(std::uint64_t{1} << index % 64); }
    void add(std::span<const std::uint64_t> words) {
        for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= words[word];
    }
    bool intersects(std::span<const std::uint64_t> words) const {
        std::uint64_t common = 0;
        for (std::size_t word = 0; word < words_.size(); ++word) common |= words_[word] & words[word];
        return common != 0;
    }
    void clear() { std::ranges::fill(words_, 0); }
    std::span<const std::uint64_t> words() const { return words_; }
    /// Calls visit(collective) for each member, ascending, until it returns true.
    template <typename Visit>
    void until_one(Visit&& visit) const {
        until_one_of([&](std::size_t word) { return words_[word]; }, visit);
    }
    /// The same for members that are not in `others`.
    template <typename Visit>
    void until_one_outside(std::span<const std::uint64_t> others, Visit&& visit) const {
        until_one_of([&](std::size_t word) { return words_[word] & ~others[word]; }, visit);
    }

  private:
    template <typename WordAt, typename Visit>
    void until_one_of(WordAt&& word_at, Visit&& visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t left = word_at(word); left != 0; left &= left - 1) {
                if (visit(static_cast<Index>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))))) return;
            }
        }
    }

    std::vector<std::uint64_t> words_;
};

}  // namespace overlap::scheduling
