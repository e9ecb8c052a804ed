#include "core/files/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace overlap {
namespace {

std::string written(double value) {
    return JsonWriter().floating(value).take();
}

TEST(JsonWriter, FloatingNumbersReadBackAndLookLikeFloats) {
    for (const double value : {0.0, 1.0, -0.5, 0.1, 1e300, 5e-324, 989e12, 1.7976931348623157e308, 0.007336}) {
        const nlohmann::json parsed = nlohmann::json::parse(written(value));
        EXPECT_TRUE(parsed.is_number_float()) << written(value);
        EXPECT_EQ(parsed.get<double>(), value) << written(value);
    }
    EXPECT_EQ(written(1), "1.0");
    EXPECT_EQ(written(-0.0), "-0.0");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(JsonWriter().value(1.0).take(), "1");
}

TEST(JsonWriter, StringsAreEscaped) {
    std::string every;
    for (char character = 0; character < 127; ++character) every += character;
    every += "\xc3\xa9 \xf0\x9f\x98\x80";
    EXPECT_EQ(nlohmann::json::parse(JsonWriter().value(every).take()).get<std::string>(), every);
    EXPECT_EQ(JsonWriter().value("\"\\\n\t\r\x01").take(), R"("\"\\\n\t\r\u0001")");
}

TEST(JsonWriter, MembersJoinAnObject) {
    JsonWriter json;
    json.begin_object().member("a", std::int64_t{1}).members("{\"b\":2,\"c\":[]}").members("").members("{}");
    json.member("d", false).end_object();
    EXPECT_EQ(json.take(), "{\"a\":1,\"b\":2,\"c\":[],\"d\":false}");
    EXPECT_EQ(JsonWriter().begin_object().members("{\"b\":2}").end_object().take(), "{\"b\":2}");
}

TEST(JsonWriter, BeginsAnew) {
    JsonWriter json;
    EXPECT_TRUE(json.empty());
    json.begin_array().null().json("{\"a\":17}").end_array();
    EXPECT_EQ(json.text(), "[null,{\"a\":17}]");
    json.clear();
    EXPECT_EQ(json.value("a").text(), "\"a\"");
}

TEST(JsonWriter, QuotesAndNumbers) {
    JsonWriter json;
    json.begin_object();
    json.member("te\"xt", "back\\slash\nline\x01 é");
    json.member("large", std::numeric_limits<std::int64_t>::min());
    json.member("third", 1.0 / 3);
    json.member("infinite", std::numeric_limits<double>::infinity());
    json.key("empty").begin_array().end_array();
    json.key("items").begin_array().value(1.5).null().begin_object().end_object().end_array();
    json.end_object();
    const std::string text = json.take();
    const nlohmann::json read = nlohmann::json::parse(text);
    EXPECT_EQ(read.at("te\"xt"), "back\\slash\nline\x01 é");
    EXPECT_EQ(read.at("large"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(read.at("third").get<double>(), 1.0 / 3);
    EXPECT_TRUE(read.at("infinite").is_null());
    EXPECT_EQ(read.at("items"), nlohmann::json::parse("[1.5, null, {}]"));
}

}  // namespace
}  // namespace overlap
