#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/lane.h"

namespace overlap {

/// The time that any of several spans covers: spans that are apart, in order. Sums over it count no moment twice,
/// however much events overlap.
class IntervalUnion {
  public:
    IntervalUnion() = default;
    /// Spans in any order. Those that touch are joined. A span that ends before it starts counts as its length, which
    /// is negative, unless another covers it: rounding inwards makes such spans.
    explicit IntervalUnion(std::vector<TimeRange> spans);

    bool empty() const { return spans_.empty(); }
    std::span<const TimeRange> spans() const { return spans_; }
    std::int64_t length_ns() const;
    /// From the first start to the last end; 0 when empty.
    std::int64_t extent_ns() const;

  private:
    std::vector<TimeRange> spans_;
};

/// Time that both cover.
std::int64_t overlap_ns(const IntervalUnion& a, const IntervalUnion& b);
std::int64_t overlap_ns(TimeRange range, const IntervalUnion& with);

/// The time that both cover, as spans.
IntervalUnion intersection(const IntervalUnion& a, const IntervalUnion& b);

/// Sums over spans that do not overlap, for any range at the cost of two bisections.
class SpanSums {
  public:
    SpanSums() = default;
    /// @param spans in order, apart or touching.
    explicit SpanSums(std::vector<TimeRange> spans);
    explicit SpanSums(const IntervalUnion& spans);

    std::int64_t total_ns() const { return spans_.empty() ? 0 : until_ns_.back(); }
    /// How much of `range` they cover.
    std::int64_t within_ns(TimeRange range) const;

  private:
    std::vector<TimeRange> spans_;
    std::vector<std::int64_t> until_ns_;  ///< lengths of all up to each, together
};

/// All of it that much later.
IntervalUnion shifted(const IntervalUnion& spans, std::int64_t offset_ns);

/// The spans of `spans` that share time with `range`, whole.
std::span<const TimeRange> spans_in(const IntervalUnion& spans, TimeRange range);

}  // namespace overlap
