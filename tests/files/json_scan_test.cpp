#include "core/files/json_scan.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace overlap {
namespace {

constexpr std::size_t npos = std::string_view::npos;

TEST(JsonValueEnd, IsBehindTheValue) {
    struct Case {
        const char* text;
        std::size_t end;
    };
    for (const Case& each :
         {Case{R"("a")", 3}, Case{R"("a",1)", 3}, Case{R"("a\"b" )", 6}, Case{R"("a\\" )", 5}, Case{R"("\\\"" )", 6},
          Case{"12,", 2}, Case{"12 ", 2}, Case{"12\t", 2}, Case{"12\n", 2}, Case{"12\r", 2}, Case{"12]", 2},
          Case{"true}", 4}, Case{"[1, [2], 3] ", 11}, Case{R"({"a": "}]"}, 1)", 11}, Case{"[]", 2}, Case{"{}", 2}})
        EXPECT_EQ(json_value_end(each.text), each.end) << each.text;
}

TEST(JsonValueEnd, IsNotSeenWhereTheTextEndsBeforeIt) {
    for (const char* const text :
         {"", "12", "true", R"("a)", R"("a\")", R"("a\\\")", "[1, 2", R"({"a": "}])", R"(["a)", "[[]"})
        EXPECT_EQ(json_value_end(text), npos) << text;
    // What stands behind the part that is there is not read.
    EXPECT_EQ(json_value_end(std::string_view("12,", 2)), npos);
    EXPECT_EQ(json_value_end(std::string_view("[1]", 2)), npos);
}

/// Letter by letter what json_list_cut() does 64 letters at a time.
JsonListCut cut_by_letters(std::string_view text) {
    JsonListCut cut;
    std::size_t depth = 0;
    bool in_string = false, escaped = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        const bool was_escaped = escaped;
        escaped = letter == '\\' && !was_escaped;
        if (letter == '"' && !was_escaped) in_string = !in_string;
        if (in_string) continue;
        if (letter == '[' || letter == '{') ++depth;
        const bool closes = letter == ']' || letter == '}';
        if (depth == 0 && (closes || letter == ',')) {
            cut.place = at;
            cut.is_closed = closes;
            if (closes) return cut;
        } else if (closes) {
            --depth;
        }
    }
    cut.is_whole = depth == 0 && !in_string;
    return cut;
}

TEST(JsonListCut, IsWhereItIsLetterByLetter) {
    const std::string entry =
        R"({"a": [1, 2, {"b": "x,]}"}], "text": "with \"quotes\", [brackets] and \\", "c": "\\\"" }, 17, "s", [], )";
    const std::string list = entry + std::string(70, ' ') + entry + "[" + std::string(130, '3') + "]" + entry + "4]5";
    for (std::size_t begin = 0; begin < 3; ++begin)
        for (std::size_t length = 0; begin + length <= list.size(); ++length) {
            const std::string text = std::string(61 * begin, ' ') + list.substr(0, length);
            const JsonListCut found = json_list_cut(text), expected = cut_by_letters(text);
            ASSERT_EQ(found.place, expected.place) << text;
            ASSERT_EQ(found.is_closed, expected.is_closed) << text;
            ASSERT_EQ(found.is_whole, expected.is_whole) << text;
        }
}

TEST(JsonListCut, TellsWhetherTheTextEndsBetweenEntries) {
    EXPECT_TRUE(json_list_cut("1, 2").is_whole);
    EXPECT_TRUE(json_list_cut("").is_whole);
    EXPECT_FALSE(json_list_cut("1, [2").is_whole);
    EXPECT_FALSE(json_list_cut("1, \"2").is_whole);
    EXPECT_FALSE(json_list_cut("1]").is_whole);
    EXPECT_EQ(json_list_cut("1, 2").place, 1u);
    EXPECT_EQ(json_list_cut("1").place, npos);
}

}  // namespace
}  // namespace overlap
