#include "core/passes/scheduling/shared_sets.h"

#include <algorithm>

namespace overlap::scheduling {

void SharedSets::Range::include(const Range& other) {
    if (other.first == other.end) return;
    *this = first == end ? other : Range{std::min(first, other.first), std::max(end, other.end)};
}

bool SharedSets::contains(Set outer, Set inner) const {
    constexpr std::size_t stretch = 16;  // compared at once
    const std::uint64_t* const of_outer = row(outer);
    const std::uint64_t* const of_inner = row(inner);
    const Range& range = ranges_[inner];
    for (std::size_t first = range.first; first < range.end; first += stretch) {
        const std::size_t end = std::min(first + stretch, range.end);
        std::uint64_t missing = 0;
        for (std::size_t word = first; word < end; ++word) missing |= of_inner[word] & ~of_outer[word];
        if (missing != 0) return false;
    }
    return true;
}

void SharedSets::make_own() {
    if (is_own_) return;
    const std::size_t from = words_ * current_, to = bits_.size();
    current_ = static_cast<Set>(to / words_);
    bits_.resize(to + words_);
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(from), words_,
                bits_.begin() + static_cast<std::ptrdiff_t>(to));
    ranges_.push_back(Range(ranges_[from / words_]));
    is_own_ = true;
}

void SharedSets::unite(Set part) {
    if (part == current_ || contains(current_, part)) return;
    if (contains(part, current_)) {
        if (is_own_) {
            bits_.resize(bits_.size() - words_);
            ranges_.pop_back();
        }
        current_ = part;
        is_own_ = false;
        return;
    }
    make_own();
    std::uint64_t* const into = bits_.data() + words_ * current_;
    const std::uint64_t* const from = row(part);
    const Range& range = ranges_[part];
    for (std::size_t word = range.first; word < range.end; ++word) into[word] |= from[word];
    ranges_[current_].include(range);
}

void SharedSets::add(std::size_t member) {
    const std::uint64_t bit = std::uint64_t{1} << member % 64;
    if (row(current_)[member / 64] & bit) return;
    make_own();
    bits_[words_ * current_ + member / 64] |= bit;
    ranges_[current_].include({member / 64, member / 64 + 1});
}

}  // namespace overlap::scheduling
