#include "core/files/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace overlap {
namespace {

std::string written(double value) {
    std::string text;
    append_json_number(text, value);
    return text;
}

TEST(JsonText, NumbersReadBackAndLookLikeFloats) {
    for (const double value : {0.0, 1.0, -0.5, 0.1, 1e300, 5e-324, 989e12, 1.7976931348623157e308, 0.007336}) {
        const nlohmann::json parsed = nlohmann::json::parse(written(value));
        EXPECT_TRUE(parsed.is_number_float()) << written(value);
        EXPECT_EQ(parsed.get<double>(), value) << written(value);
    }
    EXPECT_EQ(written(1), "1.0");
    EXPECT_EQ(written(-0.0), "-0.0");
    EXPECT_EQ(written(0.1), "0.1");
}

TEST(JsonText, StringsAreEscaped) {
    std::string every;
    for (char character = 0; character < 127; ++character) every += character;
    every += "\xc3\xa9 \xf0\x9f\x98\x80";
    std::string text;
    append_json_string(text, every);
    EXPECT_EQ(nlohmann::json::parse(text).get<std::string>(), every);
}

TEST(JsonText, MembersJoinAnObject) {
    std::string text = "{\"a\":1";
    bool first = false;
    append_json_members(text, "{\"b\":2,\"c\":[]}", first);
    append_json_members(text, "", first);
    append_json_members(text, "{}", first);
    EXPECT_EQ(text + "}", "{\"a\":1,\"b\":2,\"c\":[]}");
}

}  // namespace
}  // namespace overlap
