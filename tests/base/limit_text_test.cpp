#include "core/base/limit_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overlap {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

const std::vector<NamedLimit>& limit_names() {
    static const std::vector<NamedLimit> names{{"baseline", std::int64_t{40} << 30},
                                               {"device", std::int64_t{80} << 30}};
    return names;
}

double gib_of(std::string_view text) {
    const LimitText limit = read_limit(text, limit_names(), gib);
    EXPECT_EQ(limit.reason, "") << text;
    return limit.bytes.value_or(-gib) / gib;
}

std::string reason_of(std::string_view text) {
    const LimitText limit = read_limit(text, limit_names(), gib);
    EXPECT_FALSE(limit.bytes) << text;
    return limit.reason;
}

TEST(LimitText, SharesAreOfWhatStandsBeforeThem) {
    for (const char* text : {"baseline+10%", "baseline + 10 %", " Baseline +10% ", "+10%", "+ 10 %"})
        EXPECT_DOUBLE_EQ(gib_of(text), 44) << text;
    EXPECT_DOUBLE_EQ(gib_of("-10%"), 36);
    EXPECT_DOUBLE_EQ(gib_of("device - 5 %"), 76);
    EXPECT_DOUBLE_EQ(gib_of("20 + 12.5%"), 22.5);
    EXPECT_DOUBLE_EQ(gib_of("baseline + 10 + 10%"), 55);
    EXPECT_DOUBLE_EQ(gib_of("baseline - 100 %"), 0);
    EXPECT_EQ(reason_of("10 %"), "it is not said of what \"10 %\" is; write baseline - 10 %");
    EXPECT_EQ(reason_of("10% + baseline"), "it is not said of what \"10%\" is; write baseline - 10%");
    EXPECT_EQ(read_limit("10%", {}, 1).reason, "it is not said of what \"10%\" is");
    EXPECT_EQ(reason_of("baseline + 10 %%"), "\"10 %%\" is neither a number of GiB nor one of baseline, device");
}

TEST(LimitText, ANumberInASumIsOfGibWhateverALoneOneIsOf) {
    for (const double lone : {1.0, gib}) {
        EXPECT_EQ(read_limit("32", limit_names(), lone).bytes, 32 * lone);
        EXPECT_EQ(read_limit("baseline + 6", limit_names(), lone).bytes, 46 * gib);
        EXPECT_EQ(read_limit("40GiB", limit_names(), lone).bytes, 40 * gib);
        EXPECT_EQ(read_limit("+6", limit_names(), lone).bytes, 46 * gib);
    }
}

TEST(LimitText, WhatIsNoLimitSaysWhy) {
    EXPECT_EQ(reason_of("much"), "\"much\" is neither a number of GiB nor one of baseline, device");
    EXPECT_EQ(read_limit("much", {}, 1).reason, "\"much\" is no number of GiB");
    EXPECT_EQ(read_limit("+10%", {}, 1).reason, "there is nothing to count \"+10%\" from");
    EXPECT_EQ(reason_of("1.2.3 GiB"), "\"1.2.3 gib\" is neither a number of GiB nor one of baseline, device");
    EXPECT_EQ(reason_of("6 GiB 7"), "\"6 gib 7\" is neither a number of GiB nor one of baseline, device");
    EXPECT_EQ(reason_of("6 parsec"), "\"parsec\" is not a unit of memory; use MiB, GiB, TiB, MB, GB or TB");
    EXPECT_EQ(reason_of("baseline - 200 %"), "\"baseline - 200 %\" is below 0");
    EXPECT_EQ(reason_of("baseline + + 6"), "something is missing beside + or -");
}

}  // namespace
}  // namespace overlap
