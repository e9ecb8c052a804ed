#include "core/base/number_text.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(NumberText, HasFourDigitsAndAUnit) {
    EXPECT_EQ(time_text(0), "0 ms");
    EXPECT_EQ(time_text(0.0312), "31.2 µs");
    EXPECT_EQ(time_text(25.1), "25.1 ms");
    EXPECT_EQ(time_text(1671.46), "1671 ms");
    EXPECT_EQ(time_text(2.9964), "2.996 ms");
    EXPECT_EQ(time_text(77981.2), "77.98 s");
    EXPECT_EQ(time_text(0.000052), "52 ns");
    EXPECT_EQ(time_text(9.99951), "10 ms");
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(436207616), "416 MiB");
    EXPECT_EQ(bytes_text(457389179), "436.2 MiB");
    EXPECT_EQ(bytes_text(std::int64_t{33} << 30), "33 GiB");
}

}  // namespace
}  // namespace overlap
