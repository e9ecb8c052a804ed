#include "core/timeline/interval_union.h"

#include <algorithm>
#include <utility>

namespace overlap {

IntervalUnion::IntervalUnion(std::vector<TimeRange> spans) : spans_(std::move(spans)) {
    std::stable_sort(spans_.begin(), spans_.end(), [](TimeRange a, TimeRange b) { return a.begin_ns < b.begin_ns; });
    std::size_t kept = 0;
    for (const TimeRange span : spans_) {
        if (kept > 0 && span.begin_ns <= spans_[kept - 1].end_ns) {
            spans_[kept - 1].end_ns = std::max(spans_[kept - 1].end_ns, span.end_ns);
        } else {
            spans_[kept++] = span;
        }
    }
    spans_.resize(kept);
}

std::int64_t IntervalUnion::length_ns() const {
    std::int64_t length_ns = 0;
    for (const TimeRange span : spans_) length_ns += span.length_ns();
    return length_ns;
}

std::int64_t IntervalUnion::extent_ns() const {
    return empty() ? 0 : spans_.back().end_ns - spans_.front().begin_ns;
}

std::int64_t overlap_ns(const IntervalUnion& a, const IntervalUnion& b) {
    std::int64_t shared_ns = 0;
    auto left = a.spans().begin();
    auto right = b.spans().begin();
    while (left != a.spans().end() && right != b.spans().end()) {
        shared_ns += overlap_ns(*left, *right);
        ++(left->end_ns < right->end_ns ? left : right);
    }
    return shared_ns;
}

IntervalUnion shifted(const IntervalUnion& spans, std::int64_t offset_ns) {
    std::vector<TimeRange> moved(spans.spans().begin(), spans.spans().end());
    for (TimeRange& span : moved) span = shifted(span, offset_ns);
    return IntervalUnion(std::move(moved));
}

std::span<const TimeRange> spans_in(const IntervalUnion& spans, TimeRange range) {
    const auto all = spans.spans();
    const auto first =
        std::partition_point(all.begin(), all.end(), [&](TimeRange span) { return span.end_ns <= range.begin_ns; });
    const auto last =
        std::partition_point(first, all.end(), [&](TimeRange span) { return span.begin_ns < range.end_ns; });
    return {first, last};
}

std::int64_t overlap_ns(TimeRange range, const IntervalUnion& with) {
    std::int64_t shared_ns = 0;
    for (const TimeRange span : spans_in(with, range)) shared_ns += overlap_ns(span, range);
    return shared_ns;
}

IntervalUnion intersection(const IntervalUnion& a, const IntervalUnion& b) {
    std::vector<TimeRange> common;
    auto left = a.spans().begin();
    auto right = b.spans().begin();
    while (left != a.spans().end() && right != b.spans().end()) {
        const TimeRange both{std::max(left->begin_ns, right->begin_ns), std::min(left->end_ns, right->end_ns)};
        if (both.length_ns() > 0) common.push_back(both);
        left->end_ns < right->end_ns ? ++left : ++right;
    }
    return IntervalUnion(std::move(common));
}

SpanSums::SpanSums(std::vector<TimeRange> spans) : spans_(std::move(spans)) {
    until_ns_.reserve(spans_.size());
    std::int64_t sum_ns = 0;
    for (const TimeRange span : spans_) until_ns_.push_back(sum_ns += span.length_ns());
}

SpanSums::SpanSums(const IntervalUnion& spans)
    : SpanSums(std::vector<TimeRange>(spans.spans().begin(), spans.spans().end())) {}

std::int64_t SpanSums::within_ns(TimeRange range) const {
    const auto first = std::partition_point(spans_.begin(), spans_.end(),
                                            [&](TimeRange span) { return span.end_ns <= range.begin_ns; });
    const auto last =
        std::partition_point(first, spans_.end(), [&](TimeRange span) { return span.begin_ns < range.end_ns; });
    if (first == last) return 0;
    const auto index = [&](auto span) { return static_cast<std::size_t>(span - spans_.begin()); };
    const std::int64_t whole_ns = until_ns_[index(last) - 1] - until_ns_[index(first)] + first->length_ns();
    return whole_ns - std::max<std::int64_t>(0, range.begin_ns - first->begin_ns) -
           std::max<std::int64_t>(0, (last - 1)->end_ns - range.end_ns);
}

}  // namespace overlap
