#include "core/imports/told_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/problem_of.h"

namespace overlap {
namespace {

std::string problem_of_group(std::string_view text) {
    return test::problem_of([&] { told_process_group(text, "--group"); });
}

std::string problem_of_symbol(std::string_view text) {
    return test::problem_of([&] { told_symbol(text, "--symbol"); });
}

TEST(ToldOptions, GroupsAreRanksAndRanges) {
    const ProcessGroup group = told_process_group("dp=0,4-6,2", "--group");
    EXPECT_EQ(group.name, "dp");
    EXPECT_EQ(std::vector<int>(group.ranks.begin(), group.ranks.end()), (std::vector<int>{0, 4, 5, 6, 2}));
    EXPECT_EQ(told_symbol("s0=8", "--symbol"), (std::pair<std::string, std::int64_t>("s0", 8)));
    EXPECT_EQ(told_symbol("s0=0", "--symbol").second, 0);
}

TEST(ToldOptions, MistakesSayWhatWasExpected) {
    EXPECT_EQ(problem_of_group("0,1"), "--group: expected NAME=VALUE, found \"0,1\"");
    EXPECT_EQ(problem_of_group("=0,1"), "--group: expected NAME=VALUE, found \"=0,1\"");
    EXPECT_EQ(problem_of_group("dp="), "--group dp: expected a whole number, found \"\"");
    EXPECT_EQ(problem_of_group("dp=0,x"), "--group dp: expected a whole number, found \"x\"");
    EXPECT_EQ(problem_of_group("dp=0-"), "--group dp: expected a whole number, found \"\"");
    EXPECT_EQ(problem_of_group("dp=3-1"), "--group dp: expected a range such as 0-7, found \"3-1\"");
    EXPECT_EQ(problem_of_group("dp=-1"), "--group dp: expected different ranks from 0 on, found -1");
    EXPECT_EQ(problem_of_group("dp=2147483648"), "--group dp: expected different ranks from 0 on, found 2147483648");
    EXPECT_EQ(problem_of_group("dp=0-1000000"), "--group dp: a group of more than a million ranks, \"0-1000000\"");
    EXPECT_EQ(problem_of_group("dp=0-3,2"), "--group dp: expected different ranks from 0 on, found 2 twice");
    EXPECT_EQ(problem_of_symbol("s0"), "--symbol: expected NAME=VALUE, found \"s0\"");
    EXPECT_EQ(problem_of_symbol("s0=1.5"), "--symbol s0: expected a whole number, found \"1.5\"");
    EXPECT_EQ(problem_of_symbol("s0=-1"), "--symbol s0: expected a size from 0 on, found -1");
}

}  // namespace
}  // namespace overlap
