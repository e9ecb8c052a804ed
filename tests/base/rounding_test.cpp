#include "core/base/rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace overlap {
namespace {

/// The C library prints the exact value, ties to even, and reads back the nearest double.
double through_text(double value) {
    char text[512];
    std::snprintf(text, sizeof text, "%.6f", value);
    return std::strtod(text, nullptr);
}

TEST(Rounding, FollowsPythonsRoundOnKnownValues) {
    // Values of Python's round(x, 6). The decimals look like ties, the doubles lie to one side of them.
    EXPECT_EQ(round_to_six_decimals(0.1234565), 0.123456);
    EXPECT_EQ(round_to_six_decimals(0.0000025), 0.000003);
    EXPECT_EQ(round_to_six_decimals(0.0000015), 0.000002);
    EXPECT_EQ(round_to_six_decimals(0.0000005), 0.0);
    EXPECT_EQ(round_to_six_decimals(1e22), 1e22);
    EXPECT_EQ(round_to_six_decimals(-0.7654321), -0.765432);
    EXPECT_TRUE(std::isinf(round_to_six_decimals(std::numeric_limits<double>::infinity())));
    EXPECT_TRUE(std::isnan(round_to_six_decimals(std::nan(""))));
}

TEST(Rounding, ExactTiesGoToTheEvenNeighbour) {
    // k + 1/2 millionths is a double only when it is a multiple of 2^-n: 0.0078125 = 7812.5 millionths, and so on.
    EXPECT_EQ(round_to_six_decimals(0.0078125), 0.007812);
    EXPECT_EQ(round_to_six_decimals(0.0234375), 0.023438);
    EXPECT_EQ(round_to_six_decimals(-0.0078125), -0.007812);
    EXPECT_EQ(round_to_six_decimals(1.0078125), 1.007812);
}

TEST(Rounding, AgreesWithExactDecimalConversionEverywhere) {
    std::mt19937_64 random(20240607);
    for (int round = 0; round < 200000; ++round) {
        const int exponent = static_cast<int>(random() % 80) - 40;
        const double value = std::ldexp(static_cast<double>(random() >> 11) / 9007199254740992.0, exponent);
        ASSERT_EQ(round_to_six_decimals(value), through_text(value)) << value;
        ASSERT_EQ(round_to_six_decimals(-value), through_text(-value)) << -value;
    }
    // Neighbours of ties, where a product in double would go wrong.
    for (int round = 0; round < 200000; ++round) {
        double value = (static_cast<double>(random() % 1000000000) + 0.5) / 1e6;
        if (random() % 3 == 0) value = std::nextafter(value, 1e300);
        if (random() % 3 == 0) value = std::nextafter(value, 0);
        ASSERT_EQ(round_to_six_decimals(value), through_text(value)) << value;
    }
}

}  // namespace
}  // namespace overlap
