#include "core/files/json_members.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

using Items = std::vector<std::string_view>;

TEST(JsonMembers, FindsTheValueOfAKeyOfTheObjectItself) {
    const std::string_view text =
        R"({"a":{"wanted":1},"text":"\"wanted\":2, }]","wide":1e999, "wanted" : [1, {"b":"]"}] ,"z":null})";
    EXPECT_EQ(json_member(text, "wanted"), R"([1, {"b":"]"}])");
    EXPECT_EQ(json_member(text, "wide"), "1e999");
    EXPECT_EQ(json_member(text, "z"), "null");
    EXPECT_EQ(json_member(text, "b"), "");
    EXPECT_EQ(json_member(json_member(text, "a"), "wanted"), "1");
    EXPECT_EQ(json_member(R"({"a":1,"a":2})", "a"), "2");
}

TEST(JsonMembers, TakesListsApart) {
    EXPECT_EQ(json_items(R"([ 1e999, "a,]\"" ,[2,[3]],{"b":[4]} , true])"),
              Items({"1e999", R"("a,]\"")", "[2,[3]]", R"({"b":[4]})", "true"}));
    EXPECT_EQ(json_items(" [ ] "), Items());
}

TEST(JsonMembers, OtherThingsHaveNone) {
    for (const std::string_view text : {"", "3", "null", "\"{\"", "{}"}) {
        EXPECT_EQ(json_member(text, "a"), "") << text;
        EXPECT_EQ(json_items(text), Items()) << text;
    }
}

TEST(JsonMembers, PutsAMemberInPlaceOfAnotherOrAtTheEnd) {
    EXPECT_EQ(with_json_member(R"( {"a": 1e999 , "b":"}","c":[]} )", "b", "2"), R"({"a": 1e999,"b":2,"c":[]})");
    EXPECT_EQ(with_json_member(R"({"a":1,"a":2})", "a", "3"), R"({"a":3})");
    EXPECT_EQ(with_json_member(R"({"a":1})", "b", "{}"), R"({"a":1,"b":{}})");
    for (const std::string_view nothing : {"", "{}", "null"}) EXPECT_EQ(with_json_member(nothing, "a", "1"), R"({"a":1})");
}

TEST(JsonMembers, TakesMembersAway) {
    EXPECT_EQ(without_json_member(R"({"a":1, "b":"},{" ,"c":[2]})", "b"), R"({"a":1,"c":[2]})");
    EXPECT_EQ(without_json_member(R"({"a":1,"a":2})", "a"), "");
    EXPECT_EQ(without_json_member(R"({"a":1})", "b"), R"({"a":1})");
    EXPECT_EQ(without_json_member("[1]", "a"), "[1]");
    EXPECT_EQ(without_json_member("", "a"), "");
}

}  // namespace
}  // namespace overlap
