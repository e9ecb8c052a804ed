#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/operator_traits.h"

namespace overlap {

/// A collective in a sequence to be matched with another.
struct SequenceItem {
    CollectiveKind kind = CollectiveKind::none;  ///< none: unknown, fits any
    std::int64_t bytes = 0;                      ///< 0: unknown, fits any
    double place = 0;                            ///< where in its step it starts, from 0 to 1
};

/// Pairs of indices, ascending on both sides, and what they are worth.
struct SequenceAlignment {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    double worth = 0;
};

/// How well two collectives fit: 3 for equal kind and bytes; 2 where kind or bytes of one are unknown, or where bytes
/// of all-to-alls differ, whose sizes only the running job knows; 0 for what cannot be the same.
int fit_of(const SequenceItem& a, const SequenceItem& b);

/// The global alignment of two sequences, each in its order, in which the fits of the pairs add up to most, and among
/// those the one whose pairs lie closest in their steps. Either side may have collectives that the other lacks.
/// Needleman and Wunsch's dynamic programming without a penalty for gaps.
/// @throws InputError when the sequences are too long for it.
SequenceAlignment align_sequences(std::span<const SequenceItem> a, std::span<const SequenceItem> b);

}  // namespace overlap
