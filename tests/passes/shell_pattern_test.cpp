#include "core/passes/shell_pattern.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

// Each expectation is what Python's fnmatch.fnmatchcase returns.
TEST(ShellPattern, MatchesAsPythonDoes) {
    EXPECT_TRUE(matches_shell_pattern("attention", "*"));
    EXPECT_TRUE(matches_shell_pattern("", "*"));
    EXPECT_FALSE(matches_shell_pattern("", "?"));
    EXPECT_TRUE(matches_shell_pattern("attention", "at*n*n"));
    EXPECT_FALSE(matches_shell_pattern("attention", "at*nn"));
    EXPECT_FALSE(matches_shell_pattern("Attention", "attention"));
    EXPECT_TRUE(matches_shell_pattern("wq", "w[kqv]"));
    EXPECT_FALSE(matches_shell_pattern("wo", "w[kqv]"));
    EXPECT_TRUE(matches_shell_pattern("wo", "w[!kqv]"));
    EXPECT_TRUE(matches_shell_pattern("17", "[0-2][0-9]"));
    EXPECT_FALSE(matches_shell_pattern("37", "[0-2][0-9]"));
    EXPECT_FALSE(matches_shell_pattern("b", "[c-a]"));
    EXPECT_TRUE(matches_shell_pattern("-", "[a-]"));
    EXPECT_TRUE(matches_shell_pattern("]", "[]]"));
    EXPECT_FALSE(matches_shell_pattern("]", "[!]]"));
    EXPECT_TRUE(matches_shell_pattern("[x", "[x"));
    EXPECT_TRUE(matches_shell_pattern("e", "[a-c-e]"));
    EXPECT_FALSE(matches_shell_pattern("d", "[a-c-e]"));
    EXPECT_TRUE(matches_shell_pattern("é", "?"));
    EXPECT_TRUE(matches_shell_pattern("é", "[à-ü]"));
    EXPECT_TRUE(matches_shell_pattern("^", "[^]"));
}

TEST(ShellPattern, AStarStaysWithinItsComponent) {
    EXPECT_TRUE(matches_module_pattern("layers.3.attention.wq", "layers.*.attention.*"));
    EXPECT_FALSE(matches_module_pattern("layers.3.attention", "layers.*"));
    EXPECT_FALSE(matches_module_pattern("layers.3", "layers.3.*"));
    EXPECT_TRUE(matches_module_pattern("", "*"));
}

}  // namespace
}  // namespace overlap
