#include "core/passes/scheduling/size_expression.h"

#include <gtest/gtest.h>

namespace overlap::scheduling {
namespace {

/// With u0 = 10 and every other symbol 3.
std::optional<std::int64_t> value(std::string_view expression) {
    return evaluate_size(expression, [](std::string_view symbol) { return symbol == "u0" ? 10 : 3; });
}

TEST(SizeExpression, FollowsPythonsArithmetic) {
    EXPECT_EQ(value("49152"), 49152);
    EXPECT_EQ(value("u4 + u5 + u6 + u7"), 12);
    EXPECT_EQ(value("3*((u0//2))"), 15);
    EXPECT_EQ(value("2*u0 - 3*u1"), 11);
    EXPECT_EQ(value("-7//2"), -4);
    EXPECT_EQ(value("-8//2"), -4);
    EXPECT_EQ(value("FloorDiv(7, -2)"), -4);
    EXPECT_EQ(value("Mod(-7, 2) + -7 % 2"), 2);
    EXPECT_EQ(value("FloorDiv(u0, 4)"), 2);
}

TEST(SizeExpression, TakesTheLargestAndTheSmallest) {
    EXPECT_EQ(value("Max(0, -4*((u0//8)) + Min(u0, 5*((u0//8))))"), 1);
    EXPECT_EQ(value("Max(0, 8*((u0//8)) - Min(u0, 7*((u0//8))))"), 1);
    EXPECT_EQ(value("Max(1, u0, u1)"), 10);
}

TEST(SizeExpression, IsNothingForWhatItDoesNotKnow) {
    for (const char* text : {"", "u0 +", "u0 // 0", "(u0", "u0)", "Log(u0, 2)", "u0**2", "1.5",
                             "9223372036854775807 + 1", "u0 u1", "Max(u0", "Max(u0, u1//0)", "Max(u1//0, u0)"}) {
        EXPECT_EQ(value(text), std::nullopt) << text;
    }
    EXPECT_EQ(value(std::string(10'000, '(')), std::nullopt);
}

TEST(SizeExpression, BracketsMayBeNestedToALimit) {
    const auto nested = [](std::size_t times) {
        return value(std::string(times, '(').append("7").append(std::string(times, ')')));
    };
    EXPECT_EQ(nested(63), 7);
    EXPECT_EQ(nested(64), std::nullopt);
}

}  // namespace
}  // namespace overlap::scheduling
