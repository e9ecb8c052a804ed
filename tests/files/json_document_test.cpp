// What readers take from a parsed document, and what they say where they cannot.

#include "core/files/json_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/files/format_version.h"
#include "core/files/json_fields.h"
#include "core/files/json_text.h"
#include "core/files/utf8.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using test::problem_of;

std::string document_refusal(const std::string& text) {
    return problem_of([&] { JsonDocument{JsonBytes(text)}; });
}

TEST(JsonDocument, KeepsEveryDigit) {
    const std::string text = R"([18446744073709551616,1,"18446744073709551616",-2.5,1e999,0.12345678901234567890])";
    EXPECT_EQ(json_text(JsonDocument(JsonBytes(text)).root()), text);
    EXPECT_EQ(json_text(JsonDocument(JsonBytes("\xef\xbb\xbf[18446744073709551616]")).root()),
              "[18446744073709551616]");
    EXPECT_EQ(json_text(JsonDocument(JsonBytes("[18446744073709551615,9223372036854775807]")).root()),
              "[18446744073709551615,9223372036854775807]");
}

TEST(JsonDocument, TellsWhereTextIsNoJson) {
    EXPECT_TRUE(document_refusal("[1,\n 2").starts_with("line 2, column 3: invalid JSON: "))
        << document_refusal("[1,\n 2");
    EXPECT_TRUE(document_refusal("{} x").starts_with("line 1, column 4: invalid JSON: "));
    EXPECT_EQ(document_refusal("[\"\xff\"]"), "byte 2: this is not UTF-8, and JSON must be");
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "0" + std::string(depth, ']'); };
    EXPECT_EQ(document_refusal(nested(1023)), "accepted");
    EXPECT_EQ(document_refusal(nested(1024)), "lists and objects are nested 1024 deep, and the limit is 1023");
}

/// What `read` says of a value at a place.
template <typename Read>
std::string said(const std::string& value, const Read& read) {
    const JsonDocument document(JsonBytes("[" + value + "]"));
    return problem_of([&] { read(json_list(document.root(), JsonPlace("top")).at(0).value(), JsonPlace("it")); });
}

TEST(JsonFields, TellWhatWasExpectedAndFound) {
    const auto as_string = [](simdjson::dom::element value, const JsonPlace& place) { json_string(value, place); };
    const auto as_boolean = [](simdjson::dom::element value, const JsonPlace& place) { json_boolean(value, place); };
    const auto as_list = [](simdjson::dom::element value, const JsonPlace& place) { json_list(value, place); };
    const auto as_object = [](simdjson::dom::element value, const JsonPlace& place) { json_object(value, place); };
    EXPECT_EQ(said("\"a\"", as_string), "accepted");
    EXPECT_EQ(said("3", as_string), "it: expected a string, found the integer 3");
    EXPECT_EQ(said("true", as_boolean), "accepted");
    EXPECT_EQ(said("\"a\\n\"", as_boolean), R"(it: expected true or false, found the string "a\n")");
    EXPECT_EQ(said("[]", as_list), "accepted");
    EXPECT_EQ(said("{\"a\":1}", as_list), "it: expected a list, found an object");
    EXPECT_EQ(said("{}", as_object), "accepted");
    EXPECT_EQ(said("[]", as_object), "it: expected an object, found a list");
    EXPECT_EQ(said("null", as_object), "it: expected an object, found null");
    EXPECT_EQ(said("false", as_object), "it: expected an object, found false");
    EXPECT_EQ(said("1.5", as_object), "it: expected an object, found the number 1.5");
    EXPECT_EQ(said("18446744073709551616", as_object), "it: expected an object, found the number 18446744073709551616");
    EXPECT_EQ(said("{}", [](simdjson::dom::element value,
                            const JsonPlace& place) { json_required(json_object(value, place), "k", place); }),
              "it: the field \"k\" is missing");
}

TEST(JsonFields, IntegersHaveLimits) {
    const auto from = [](std::int64_t least, std::int64_t greatest = std::numeric_limits<std::int64_t>::max()) {
        return
            [=](simdjson::dom::element value, const JsonPlace& place) { json_integer(value, place, least, greatest); };
    };
    const auto any = from(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(said("-9223372036854775808", any), "accepted");
    EXPECT_EQ(said("9223372036854775808", any),
              "it: expected an integer of 64 bits, found the integer 9223372036854775808");
    EXPECT_EQ(said("1.0", any), "it: expected an integer of 64 bits, found the number 1.0");
    EXPECT_EQ(said("2", from(2)), "accepted");
    EXPECT_EQ(said("1", from(2)), "it: expected an integer of at least 2, found the integer 1");
    EXPECT_EQ(said("9223372036854775808", from(2)),
              "it: expected an integer from 2 to 9,223,372,036,854,775,807, found the integer 9223372036854775808");
    EXPECT_EQ(said("18446744073709551616", from(2)),
              "it: expected an integer from 2 to 9,223,372,036,854,775,807, found the number 18446744073709551616");
    EXPECT_EQ(said("7", from(2, 7)), "accepted");
    EXPECT_EQ(said("8", from(2, 7)), "it: expected an integer from 2 to 7, found the integer 8");
}

TEST(JsonFields, NumbersAreFinite) {
    const auto any = [](simdjson::dom::element value, const JsonPlace& place) { json_number(value, place); };
    const auto from = [](double least, double most = std::numeric_limits<double>::max()) {
        return [=](simdjson::dom::element value, const JsonPlace& place) { json_number(value, place, least, most); };
    };
    const JsonDocument document(JsonBytes("[1, 18446744073709551615, 2.5, 0.12345678901234567890]"));
    std::vector<double> numbers;
    for (const auto value : json_list(document.root(), JsonPlace("top")))
        numbers.push_back(json_number(value, JsonPlace("it")));
    EXPECT_EQ(numbers, (std::vector<double>{1, 18446744073709551615.0, 2.5, 0.12345678901234567890}));
    EXPECT_EQ(said("1e999", any), "it: expected a finite number, found the number 1e999");
    EXPECT_EQ(said("\"1\"", any), "it: expected a finite number, found the string \"1\"");
    EXPECT_EQ(said("0", from(0)), "accepted");
    EXPECT_EQ(said("-0.5", from(0)), "it: expected a finite number that is not negative, found the number -0.5");
    EXPECT_EQ(said("0.5", from(1)), "it: expected a finite number, found the number 0.5");
    EXPECT_EQ(said("8", from(1, 8)), "accepted");
    EXPECT_EQ(said("8.5", from(1, 8)), "it: expected at most 8, found the number 8.5");
}

TEST(JsonPlace, NamesWhatIsOnTheWay) {
    const JsonPlace nodes("nodes");
    const JsonPlace named(nodes, 412, "mm_3"), unnamed(nodes, 7);
    const JsonPlace args(named, "args"), size(unnamed, "size");
    EXPECT_EQ(JsonPlace(args, 0).text(), R"(nodes[412] "mm_3", args[0])");
    EXPECT_EQ(size.text(), "nodes[7].size");
}

TEST(FormatVersion, IsOneThatThisProgramReads) {
    const auto said_of = [](std::int64_t found) { return problem_of([&] { check_format_version("plan", found, 3); }); };
    EXPECT_EQ(said_of(1), "accepted");
    EXPECT_EQ(said_of(3), "accepted");
    EXPECT_EQ(said_of(0), "version: versions begin with 1, found 0");
    EXPECT_EQ(
        said_of(4),
        "version: written by version 4 of the plan format; this program reads up to version 3: update Overlap Studio");
    EXPECT_EQ(
        problem_of([] { check_format_version("plan", 1, 0); }),
        "version: written by version 1 of the plan format; this program reads up to version 0: update Overlap Studio");
}

TEST(Utf8, IsRefusedAtTheFirstByteThatIsNone) {
    const auto place = [](const std::string& text) { return problem_of([&] { require_utf8(text); }); };
    const auto at = [](std::size_t byte) {
        return "byte " + std::to_string(byte) + ": this is not UTF-8, and JSON must be";
    };
    // The least and the greatest of each length, and around what stands for no letter.
    for (const char* const good : {"\x01\x7f", "\xc2\x80\xdf\xbf", "\xe0\xa0\x80\xef\xbf\xbf",
                                   "\xed\x9f\xbf\xee\x80\x80", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(place(good), "accepted");
        EXPECT_EQ(place(good + std::string("\xff")), at(std::string(good).size()));
    }
    for (const char* const bad : {"\x80", "\xbf", "\xc1\xbf", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf", "\xe1\x80\x7f",
                                  "\xe1\x80\xc0", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf1\x80\x80\x7f",
                                  "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe1\x80", "\xc2"}) {
        EXPECT_EQ(place(bad), at(0));
        EXPECT_EQ(place(std::string("a\xc3\xbc") + bad + "z"), at(3));
    }
}

}  // namespace
}  // namespace overlap
