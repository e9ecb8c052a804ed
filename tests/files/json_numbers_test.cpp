#include "core/files/json_numbers.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(WideNumbers, WrapsWhatSixtyFourBitsOrADoubleCannotHold) {
    EXPECT_EQ(wrap_wide_numbers("[18446744073709551616]"), "[{\"\\u0000number\":\"18446744073709551616\"}]");
    EXPECT_EQ(wrap_wide_numbers("{\"a\":-9223372036854775809,\"b\":2}"),
              "{\"a\":{\"\\u0000number\":\"-9223372036854775809\"},\"b\":2}");
    EXPECT_EQ(wrap_wide_numbers("[1e400, 7,1e500]"),
              "[{\"\\u0000number\":\"1e400\"}, 7,{\"\\u0000number\":\"1e500\"}]");
    EXPECT_EQ(wrap_wide_numbers("1e400"), "{\"\\u0000number\":\"1e400\"}");
    EXPECT_EQ(wrap_wide_numbers("0.123456789012345678"), "{\"\\u0000number\":\"0.123456789012345678\"}");
}

TEST(WideNumbers, LeavesTheOthers) {
    for (const char* text :
         {"9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.1", "1e300", "-0.0",
          "0.00000000000000012345678901234567", "\"18446744073709551616\"", "\"\\\"18446744073709551616\"", "[]",
          // No JSON: the parser complains.
          "018446744073709551616", "18446744073709551616.", "-", "1-18446744073709551616",
          "\"open 18446744073709551616"}) {
        EXPECT_EQ(wrap_wide_numbers(text), std::nullopt) << text;
    }
}

TEST(WideNumbers, QuickLookFindsLongRunsWhereverTheyBegin) {
    for (std::size_t before = 0; before < 60; ++before) {
        const std::string text = std::string(before, ' ') + "18446744073709551616" + std::string(before % 7, ' ');
        EXPECT_TRUE(may_have_wide_numbers(text)) << before;
        const std::string point = std::string(before, ' ') + "1.23456789012345678 ";
        EXPECT_TRUE(may_have_wide_numbers(point)) << before;
    }
    EXPECT_FALSE(may_have_wide_numbers("[123456789012345678, 1234567890.1234567, 0, 0, 0, 0, 0, 0, 0]"));
    EXPECT_TRUE(may_have_wide_numbers("[0000, 0000, -9223372036854775809]"));
    EXPECT_FALSE(may_have_wide_numbers("[18446744073709551615, -9223372036854775808, 0.00000000000000000000001]"));
    EXPECT_FALSE(may_have_wide_numbers("[1.234567890123456,0.123456789]"));  // a comma ends a number
    EXPECT_FALSE(may_have_wide_numbers(""));
}

}  // namespace
}  // namespace overlap
