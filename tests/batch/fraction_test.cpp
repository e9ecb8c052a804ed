#include "core/batch/fraction.h"

#include <gtest/gtest.h>

#include <limits>

namespace overlap {
namespace {

TEST(Fraction, IsInLowestTerms) {
    EXPECT_EQ(Fraction(6, 4), Fraction(3, 2));
    EXPECT_EQ(Fraction(2, 3) * Fraction(3, 4), Fraction(1, 2));
    EXPECT_EQ(Fraction(1, 2) / Fraction(1, 4), Fraction(2, 1));
    EXPECT_EQ(Fraction(1, 6) + Fraction(1, 3), Fraction(1, 2));
    EXPECT_TRUE(Fraction(8, 4).is_whole());
    EXPECT_FALSE(Fraction(4, 8).is_whole());
}

TEST(Fraction, OneThatDoesNotFitIsNone) {
    const Fraction large(std::numeric_limits<std::int64_t>::max(), 1);
    EXPECT_EQ(large * large, Fraction());
    EXPECT_EQ(large + large, Fraction());
    EXPECT_EQ(Fraction() * Fraction(1, 2), Fraction());
    EXPECT_EQ(Fraction() + Fraction(1, 2), Fraction());
    EXPECT_EQ(Fraction(1, 2) / Fraction(), Fraction());
    EXPECT_FALSE(Fraction().is_whole());
    EXPECT_EQ(Fraction(1, 0), Fraction());
}

}  // namespace
}  // namespace overlap
