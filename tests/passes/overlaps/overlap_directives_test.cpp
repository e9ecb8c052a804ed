#include "core/passes/overlaps/overlap_directives.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/plan/overlap_directives_json.h"

namespace overlap {
namespace {

Json parse(const char* text) {
    return Json::parse(text);
}

std::string error_of(const char* text) {
    try {
        read_overlap_directives(parse(text));
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(OverlapDirectives, AreReadAndWrittenAsTheyWere) {
    const char* documents[] = {
        "[]",
        R"([{"collective":"ag","start_after":"a","start_before":"b","wait_after":"c","hide_behind":"layers.0"}])",
        R"([{"collective":"ag","hide_behind":"layers.0","of_newer":{"deep":[1,2.5,null]}},{"collective":"rs"}])",
        R"({"keep_group_order":false,"insert_overlap_deps":true,"directives":[{"collective":"ag","start_before":"b"}]})",
        R"({"keep_group_order":true,"insert_overlap_deps":true,"directives":[]})",
    };
    for (const char* text : documents)
        EXPECT_EQ(overlap_directives_json(read_overlap_directives(parse(text))), parse(text)) << text;
}

TEST(OverlapDirectives, ReadEveryField) {
    const OverlapDirectives read = read_overlap_directives(parse(
        R"([{"collective":"ag","start_after":"a","start_before":"b","wait_after":"c","hide_behind":"m","x":1}])"));
    EXPECT_TRUE(read.keep_group_order);
    EXPECT_FALSE(read.insert_overlap_deps);
    ASSERT_EQ(read.list.size(), 1u);
    EXPECT_EQ(read.list[0], (OverlapDirective{"ag", "a", "b", "c", "m", {{"x", "1"}}}));
}

TEST(OverlapDirectives, RefuseWhatIsNoDirectiveWithItsPlace) {
    EXPECT_EQ(error_of("3"), "overlaps: found 3, expected a list of directives");
    EXPECT_EQ(error_of("[3]"), "overlaps[0]: found 3, expected an object with collective and what it is to run behind");
    EXPECT_EQ(error_of(R"([{"collective":"a"},{"start_before":"b"}])"), "overlaps[1]: has no collective");
    EXPECT_EQ(error_of(R"([{"collective":""}])"), "overlaps[0]: has no collective");
    EXPECT_EQ(error_of(R"([{"collective":"a","wait_after":4}])"), "overlaps[0].wait_after: found 4, expected a name");
    EXPECT_EQ(error_of(R"({"keep_group_order":true})"), "overlaps: has no directives");
    EXPECT_EQ(error_of(R"({"directives":{}})"), "overlaps: found an object, expected a list of directives");
    EXPECT_EQ(error_of(R"({"keep_group_order":1,"directives":[]})"),
              "overlaps.keep_group_order: found 1, expected true or false");
    EXPECT_EQ(error_of(R"({"keep_group_ordr":true,"directives":[]})"),
              "overlaps: there is no setting \"keep_group_ordr\"; nearest: \"keep_group_order\"");
}

TEST(OverlapDirectives, AreToldInWords) {
    EXPECT_EQ(describe({.collective = "ag"}), "ag is left where it is");
    EXPECT_EQ(describe({.collective = "ag", .start_before = "mm"}), "ag is issued before mm");
    EXPECT_EQ(describe({.collective = "ag", .start_before = "mm", .wait_after = "add"}),
              "ag is issued before mm and is waited for after add");
    EXPECT_EQ(describe({.collective = "ag", .start_after = "a", .wait_after = "c", .hide_behind = "layers.0"}),
              "ag is issued after a, is waited for after c and runs behind layers.0");
}

TEST(OverlapDirectives, FollowACollectiveThroughAllBucketsThatItWentInto) {
    PassReport first, second;
    const auto merge = [](PassReport& report, std::vector<std::string> members, std::string start) {
        BucketReport& bucket = report.buckets.emplace_back();
        bucket.members = std::move(members);
        bucket.start = std::move(start);
    };
    merge(first, {"a", "b"}, "ab");
    merge(first, {"c", "d"}, "cd");
    merge(second, {"ab", "e"}, "abe");
    const PassReport reports[] = {first, second};
    const MergedCollectives merged = merged_collectives(reports);
    const auto into = [&](std::string_view name) {
        for (const auto& [member, start] : merged)
            if (member == name) return start;
        return std::string();
    };
    EXPECT_EQ(into("a"), "abe");
    EXPECT_EQ(into("ab"), "abe");
    EXPECT_EQ(into("d"), "cd");
    EXPECT_EQ(into("e"), "abe");
    EXPECT_EQ(into("f"), "");
}

}  // namespace
}  // namespace overlap
