#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlap::scheduling {

/// Sets of small numbers, each a union of earlier sets. One that is equal to one of its parts is not stored
/// again, so nodes of a graph that depend on the same collectives share a set.
class SharedSets {
  public:
    using Set = std::uint32_t;
    static constexpr Set empty = 0;

    /// @param members how many numbers there are: members are less.
    explicit SharedSets(std::size_t members) : words_((members + 63) / 64), bits_(words_), ranges_(1) {}

    /// Begins a set; it is empty.
    void begin() {
        current_ = empty;
        is_own_ = false;
    }
    /// Adds what is in `part` to the set that was begun.
    void unite(Set part);
    void add(std::size_t member);
    /// @returns the set that was begun.
    Set end() const { return current_; }

    std::span<const std::uint64_t> words(Set set) const { return {row(set), words_}; }

  private:
    /// Words that are not zero lie between these; most sets are short stretches.
    struct Range {
        std::size_t first = 0, end = 0;
        void include(const Range& other);
    };

    const std::uint64_t* row(Set set) const { return bits_.data() + words_ * set; }
    bool contains(Set outer, Set inner) const;
    void make_own();

    std::size_t words_;
    std::vector<std::uint64_t> bits_;  ///< by set; the first is empty
    std::vector<Range> ranges_;        ///< by set
    Set current_ = empty;              ///< the set that was begun
    bool is_own_ = false;              ///< it is the last one, and equal to no part
};

}  // namespace overlap::scheduling
