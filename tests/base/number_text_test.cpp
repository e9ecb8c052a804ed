#include "core/base/number_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/grouped_number.h"
#include "core/base/times_apart.h"

namespace overlap {
namespace {

TEST(NumberText, HasFourDigitsAndAUnitAndFiveFromASecondOn) {
    EXPECT_EQ(time_text(0), "0 ms");
    EXPECT_EQ(time_text(4e-10), "0 ms");  // what sums in another order leave
    EXPECT_EQ(time_text(-4e-10), "0 ms");
    EXPECT_EQ(time_text(6e-10), "0.001 ns");
    EXPECT_EQ(time_text(0.0312), "31.2 µs");
    EXPECT_EQ(time_text(25.1), "25.1 ms");
    EXPECT_EQ(time_text(1671.46), "1671.5 ms");
    EXPECT_EQ(time_text(1600.3), "1600.3 ms");  // a limit of 1600 ms is not met
    EXPECT_EQ(time_text(-1600.3), "-1600.3 ms");
    EXPECT_EQ(time_text(1600), "1600 ms");
    EXPECT_EQ(time_text(999.96), "1000 ms");
    EXPECT_EQ(time_text(999.94), "999.9 ms");
    EXPECT_EQ(time_text(9999.94), "9999.9 ms");
    EXPECT_EQ(time_text(9999.96), "10 s");
    EXPECT_EQ(time_text(2.9964), "2.996 ms");
    EXPECT_EQ(time_text(77981.2), "77.981 s");
    EXPECT_EQ(time_text(99999.6), "100 s");
    EXPECT_EQ(time_text(1234567), "1234.6 s");
    EXPECT_EQ(time_text(0.000052), "52 ns");
    EXPECT_EQ(time_text(9.99951), "10 ms");
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(1024), "1 KiB");
    EXPECT_EQ(bytes_text(std::int64_t{999} << 20), "999 MiB");
    EXPECT_EQ(bytes_text(std::int64_t{1002} << 20), "0.979 GiB");
    EXPECT_EQ(bytes_text(-(std::int64_t{1002} << 20)), "-0.979 GiB");
    EXPECT_EQ(bytes_text(436207616), "416 MiB");
    EXPECT_EQ(bytes_text(457389179), "436.2 MiB");
    EXPECT_EQ(bytes_text(std::int64_t{33} << 30), "33 GiB");
    EXPECT_EQ(bytes_text(std::int64_t{3} << 40), "3 TiB");
    EXPECT_EQ(bytes_text(std::int64_t{5000} << 40), "5000 TiB");  // no unit above
}

TEST(NumberText, TimesThatDifferHaveTextsThatDiffer) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(times_apart(std::vector{1586.0, 1586.04, 1933.0}), (Texts{"1586.00 ms", "1586.04 ms", "1933 ms"}));
    EXPECT_EQ(times_apart(std::vector{2162.01, 2162.04, 2162.3}), (Texts{"2162.01 ms", "2162.04 ms", "2162.3 ms"}));
    EXPECT_EQ(times_apart(std::vector{78027.1, 78027.3}), (Texts{"78.0271 s", "78.0273 s"}));
    EXPECT_EQ(times_apart(std::vector{9.9995, 9.9999}), (Texts{"9.999 ms", "10.000 ms"}));
    EXPECT_EQ(times_apart(std::vector{0.0312, 0.0312}), (Texts{"31.2 µs", "31.2 µs"}));
    EXPECT_EQ(times_apart(std::vector{0.0, 0.0, 5.0}), (Texts{"0 ms", "0 ms", "5 ms"}));
    EXPECT_EQ(times_apart(std::vector{0.0000312, 0.00003120004}), (Texts{"31.20000 ns", "31.20004 ns"}));
    EXPECT_EQ(times_apart(std::vector{0.0312, 0.031204}), (Texts{"31.200 µs", "31.204 µs"}));
    EXPECT_EQ(times_apart(std::vector{2e10, 2e10 + 400}), (Texts{"20000000.0 s", "20000000.4 s"}));
    EXPECT_EQ(times_apart(std::vector{31.2, 31.20000004}), (Texts{"31.20000000 ms", "31.20000004 ms"}));
    EXPECT_EQ(times_apart(std::vector{21.9, 21.9 * (1 + 1e-12)}), (Texts{"21.9 ms", "21.9 ms"}));
    EXPECT_TRUE(times_apart({}).empty());
}

TEST(NumberText, OfColumnsHasItsDecimals) {
    EXPECT_EQ(fixed_text(0.5, 2), "0.50");
    EXPECT_EQ(fixed_text(1234.5678, 0), "1235");
    EXPECT_EQ(fixed_text(-0.0004, 3), "0.000");
    EXPECT_EQ(fixed_text(-0.0006, 3), "-0.001");
    EXPECT_EQ(milliseconds_text(12.3454), "12.345 ms");
    EXPECT_EQ(milliseconds_text(0), "0.000 ms");
    EXPECT_EQ(percent_text(12.345678), "12.35 %");
    EXPECT_EQ(percent_text(-0.5), "-0.50 %");
    EXPECT_EQ(percent_text(std::nullopt), "-");
}

TEST(NumberText, HasNoTrailingZeros) {
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(0.5), "0.5");
    EXPECT_EQ(number_text(1672.4), "1672");
    EXPECT_EQ(number_text(-31.5849), "-31.58");
    EXPECT_EQ(number_text(12.3456, 2), "12.35");
    EXPECT_EQ(number_text(100, 2), "100");
    EXPECT_EQ(number_text(1e300).size(), 301u);
}

TEST(NumberText, ShortestReadsBackAsTheSame) {
    EXPECT_EQ(shortest_text(0), "0");
    EXPECT_EQ(shortest_text(0.1), "0.1");
    EXPECT_EQ(shortest_text(1e30), "1e+30");
    EXPECT_EQ(std::stod(shortest_text(1.0 / 3)), 1.0 / 3);
}

TEST(NumberText, LimitsAreGroupedAsAPersonWritesThem) {
    EXPECT_EQ(grouped_count(0), "0");
    EXPECT_EQ(grouped_count(-1000), "-1,000");
    EXPECT_EQ(grouped_count(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
    EXPECT_EQ(grouped_text(0), "0");
    EXPECT_EQ(grouped_text(0.1), "0.1");
    EXPECT_EQ(grouped_text(999), "999");
    EXPECT_EQ(grouped_text(1000), "1,000");
    EXPECT_EQ(grouped_text(1e6), "1,000,000");
    EXPECT_EQ(grouped_text(-123456.25), "-123,456.25");
    EXPECT_EQ(grouped_text(-123), "-123");
    EXPECT_EQ(grouped_text(1e13), "10,000,000,000,000");
    EXPECT_EQ(grouped_text(1e30), "1e30");
    EXPECT_EQ(grouped_text(std::numeric_limits<double>::denorm_min()).size(), 326u);
}

}  // namespace
}  // namespace overlap
