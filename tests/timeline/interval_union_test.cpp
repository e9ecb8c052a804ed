#include "core/timeline/interval_union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace overlap {
namespace {

TEST(IntervalUnion, CountsNoMomentTwice) {
    const IntervalUnion spans({{10, 20}, {0, 5}, {15, 30}, {16, 17}, {5, 6}});
    ASSERT_EQ(spans.spans().size(), 2u);
    EXPECT_EQ(spans.spans()[0], (TimeRange{0, 6}));
    EXPECT_EQ(spans.spans()[1], (TimeRange{10, 30}));
    EXPECT_EQ(spans.length_ns(), 26);
    EXPECT_EQ(spans.extent_ns(), 30);
}

TEST(IntervalUnion, OfNothingHasNoLength) {
    const IntervalUnion nothing;
    EXPECT_TRUE(nothing.empty());
    EXPECT_EQ(nothing.length_ns(), 0);
    EXPECT_EQ(nothing.extent_ns(), 0);
    EXPECT_EQ(overlap_ns(nothing, IntervalUnion({{0, 5}})), 0);
}

TEST(IntervalUnion, SpansRoundedBeyondEachOtherCountNegative) {
    EXPECT_EQ(IntervalUnion({{5, 4}}).length_ns(), -1);
    EXPECT_EQ(IntervalUnion({{0, 10}, {5, 4}}).length_ns(), 10);
}

TEST(IntervalUnion, AgreesWithCountingMoments) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<bool> in_a(200), in_b(200);
        const auto spans = [&](std::vector<bool>& moments) {
            std::vector<TimeRange> made;
            for (std::size_t count = random() % 12; count > 0; --count) {
                const auto begin = static_cast<std::int64_t>(random() % 180);
                const auto end = begin + static_cast<std::int64_t>(random() % 20);
                made.push_back({begin, end});
                for (std::int64_t moment = begin; moment < end; ++moment)
                    moments[static_cast<std::size_t>(moment)] = true;
            }
            return IntervalUnion(std::move(made));
        };
        const IntervalUnion a = spans(in_a), b = spans(in_b);
        std::int64_t both = 0;
        for (std::size_t moment = 0; moment < 200; ++moment) both += in_a[moment] && in_b[moment] ? 1 : 0;
        EXPECT_EQ(a.length_ns(), std::count(in_a.begin(), in_a.end(), true));
        EXPECT_EQ(overlap_ns(a, b), both);
    }
}

}  // namespace
}  // namespace overlap
