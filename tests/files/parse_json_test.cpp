#include "core/files/parse_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

namespace overlap {
namespace {

std::string refusal(std::string_view text) {
    try {
        parse_json_document(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

std::string nested(int depth) {
    const auto levels = static_cast<std::size_t>(depth);
    return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ParseJson, KeepsTheOrderOfMembers) {
    EXPECT_EQ(parse_json_document(R"( {"b": [1, {"a": null}], "a": {"b": "b"}} )").dump(),
              R"({"b":[1,{"a":null}],"a":{"b":"b"}})");
    EXPECT_EQ(parse_json_document("3.5"), 3.5);
    EXPECT_EQ(parse_json_document("\xef\xbb\xbf[]").dump(), "[]");
}

TEST(ParseJson, TellsWhereAKeyIsThatStandsThereTwice) {
    const std::string found = ": the key \"a\" occurs twice in one object";
    EXPECT_EQ(refusal(R"({"a": 1, "a": 2})"), "line 1, column 10" + found);
    EXPECT_EQ(refusal("{\"b\": {\"a\": [],\n \"c\": {\"a\": 1},\r\n\t\"a\" : 2}}"), "line 3, column 2" + found);
    EXPECT_EQ(refusal("[0, {\"a\": 17\n,\"a\":3}]"), "line 2, column 2" + found);
    EXPECT_EQ(refusal("\xef\xbb\xbf{\"a\":1,\"a\":2}"), "line 1, column 9" + found);
    // Letters count, not their bytes, and an escape is the letter that it stands for.
    EXPECT_EQ(refusal("{\"\xc3\xbc\": 0, \"a\": 1, \"\\u0061\": 2}"), "line 1, column 18" + found);
    EXPECT_EQ(refusal(R"({"\"\\": 1, "\"\\": 2})"), R"(line 1, column 13: the key ""\" occurs twice in one object)");
    EXPECT_EQ(refusal(R"({"": 1, "": 2})"), R"(line 1, column 9: the key "" occurs twice in one object)");
}

TEST(ParseJson, EqualKeysOfDifferentObjectsAreNoMistake) {
    EXPECT_EQ(refusal(R"([{"a": {"a": [{"a": 1}, {"a": 2}]}}, {"a": "a"}])"), "accepted");
}

TEST(ParseJson, LimitsDepth) {
    EXPECT_EQ(refusal(nested(parsed_depth_limit)), "accepted");
    EXPECT_EQ(refusal(nested(parsed_depth_limit + 1)), "line 1, column 65: nested more than 64 deep");
    EXPECT_EQ(refusal("[\n" + std::string(1'000'000, '[')), "line 2, column 64: nested more than 64 deep");
    std::string objects;
    for (int level = 0; level < 100'000; ++level) objects += "{\"a\":";
    EXPECT_EQ(refusal(objects), "line 1, column 321: nested more than 64 deep");
}

TEST(ParseJson, TellsWhereTextIsNoJson) {
    EXPECT_EQ(refusal("").substr(0, 32), "line 1, column 1: invalid JSON: ");
    EXPECT_EQ(refusal("[1,\n 2").substr(0, 32), "line 2, column 3: invalid JSON: ");
    EXPECT_EQ(refusal("{} x").substr(0, 44), "line 1, column 4: invalid JSON: syntax error");
    EXPECT_EQ(refusal("[1e999]"), "invalid JSON: the number 1e999 is beyond what a double holds");
    EXPECT_EQ(refusal("[\"\xff\"]"), "byte 2: this is not UTF-8, and JSON must be");
}

}  // namespace
}  // namespace overlap
