#include "core/base/statistics.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(Statistics, MediansOfEvenNumbersLieBetween) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({7}), 7);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median({0.1, 0.2}), (0.1 + 0.2) / 2);
}

TEST(Statistics, MediansOfWholeNumbersAreOneOfThem) {
    EXPECT_EQ(upper_median({7}), 7);
    EXPECT_EQ(upper_median({9, 1, 5}), 5);
    EXPECT_EQ(upper_median({4, 1, 3, 2}), 3);
    EXPECT_EQ(upper_median({-5, -3}), -3);
}

TEST(Statistics, QuantilesAreLinearBetweenNeighbours) {
    EXPECT_EQ(quantile({7}, 0.9), 7);
    EXPECT_EQ(quantile({3, 1, 2}, 0), 1);
    EXPECT_EQ(quantile({3, 1, 2}, 1), 3);
    EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
    EXPECT_EQ(quantile({10, 20}, 0.25), 12.5);
}

}  // namespace
}  // namespace overlap
