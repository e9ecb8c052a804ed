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
    EXPECT_EQ(read_limit("much", {}, 1).reason, "\"much\" is no number of bytes");
    EXPECT_EQ(read_limit("+10%", {}, 1).reason, "there is nothing to count \"+10%\" from");
    EXPECT_EQ(reason_of("1.2.3 GiB"), "\"1.2.3 gib\" is neither a number of GiB nor one of baseline, device");
    EXPECT_EQ(reason_of("6 GiB 7"), "\"6 gib 7\" is neither a number of GiB nor one of baseline, device");
    EXPECT_EQ(reason_of("6 parsec"), "\"parsec\" is not a unit of memory; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB");
    EXPECT_EQ(reason_of("baseline - 200 %"), "\"baseline - 200 %\" is below 0");
    EXPECT_EQ(reason_of("baseline + + 6"), "something is missing beside + or -");
    EXPECT_EQ(reason_of("+"), "something is missing beside + or -");
    const std::vector<NamedLimit> no_device{{"baseline", 1}};
    EXPECT_EQ(read_limit("Device-2GiB", no_device, gib).reason,
              "the cost model does not tell what the device holds, so \"device-2gib\" is not known");
    EXPECT_EQ(read_limit("device", {}, 1).reason,
              "the cost model does not tell what the device holds, so \"device\" is not known");
    for (const char* blank : {"", "  "}) EXPECT_EQ(reason_of(blank), "the limit is blank");
}

TEST(LimitText, WhatALoneNumberIsOfIsSaidWhereOneMayStandAlone) {
    EXPECT_EQ(read_limit("much", {}, gib).reason, "\"much\" is no number of GiB");
    EXPECT_EQ(read_limit("much", limit_names(), 1).reason,
              "\"much\" is neither a number of bytes nor one of baseline, device");
    EXPECT_EQ(read_limit("device - much", limit_names(), 1).reason,
              "\"much\" is neither a number of GiB nor one of baseline, device");
}

TEST(LimitText, UnitsAreReadInAnyLetters) {
    EXPECT_EQ(read_limit("3 B", {}, gib).bytes, 3);
    EXPECT_EQ(read_limit("2KiB", {}, 1).bytes, 2048);
    EXPECT_EQ(read_limit("2 kb", {}, 1).bytes, 2000);
    EXPECT_EQ(read_limit("1.5MB", {}, 1).bytes, 1.5e6);
    EXPECT_EQ(read_limit("2 gB", {}, 1).bytes, 2e9);
    EXPECT_EQ(read_limit("2 TB", {}, 1).bytes, 2e12);
    EXPECT_EQ(read_limit("0.5 tib", {}, 1).bytes, 512 * gib);
}

TEST(LimitText, ACommaIsADecimalPointUnlessItMayPartThousands) {
    EXPECT_EQ(gib_of("31,5"), 31.5);
    EXPECT_EQ(gib_of("baseline + 1,25 GiB"), 41.25);
    EXPECT_EQ(gib_of("1,0625"), 1.0625);
    EXPECT_EQ(reason_of("1,024 MiB"),
              "the comma in \"1,024 mib\" may part decimals or thousands; write a point before decimals and nothing "
              "between thousands");
    for (const char* text : {"85,000", "1,024,000", "1,024.5", "baseline + 1,024", "2,5 + 1,024 MiB"})
        EXPECT_NE(reason_of(text).find("may part decimals or thousands"), std::string::npos) << text;
}

TEST(LimitText, ALoneNumberMayHaveAnExponent) {
    for (const char* text : {"4e10", "4E10", "4e+10", "400000e5", "4,0e10"})
        EXPECT_EQ(read_limit(text, limit_names(), 1).bytes, 4e10) << text;
    EXPECT_EQ(read_limit("25e-1", limit_names(), gib).bytes, 2.5 * gib);
}

TEST(LimitText, WhatIsNotFiniteIsRefused) {
    const std::string most(308, '9');
    for (const std::string& text :
         {most + " TB - " + most + " TB", most + " TB", most + " - " + most, std::string("1e308"), std::string("1e999"),
          std::string(400, '9'), std::string(400, '9') + " GiB"})
        EXPECT_NE(reason_of(text).find(" has too large a number"), std::string::npos) << text;
}

TEST(LimitText, SaysWhetherItsBytesAreThoseOfNames) {
    for (const char* text : {"baseline", "Device - 2GiB", "+10%", "-6", "device-baseline-1GiB", "1GiB+baseline"})
        EXPECT_TRUE(read_limit(text, limit_names(), 1).depends_on_names) << text;
    for (const char* text : {"40GiB", "4e10", "1GiB-2GiB", "baseline+", "baseline+10parsecs", "much", ""})
        EXPECT_FALSE(read_limit(text, limit_names(), 1).depends_on_names) << text;
}

}  // namespace
}  // namespace overlap
