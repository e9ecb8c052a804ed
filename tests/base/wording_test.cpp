#include "core/base/wording.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overlap {
namespace {

TEST(Wording, CountsHaveTheirNoun) {
    EXPECT_EQ(counted(0, "node"), "0 nodes");
    EXPECT_EQ(counted(1, "node"), "1 node");
    EXPECT_EQ(counted(2, "node"), "2 nodes");
}

TEST(Wording, FourNamesAreToldAndTheRestCounted) {
    const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
    const auto told = [&](std::size_t count) { return enumerated({names.data(), count}); };
    EXPECT_EQ(told(0), "");
    EXPECT_EQ(told(1), "a");
    EXPECT_EQ(told(4), "a, b, c, d");
    EXPECT_EQ(told(5), "a, b, c, d and 1 more");
    EXPECT_EQ(told(6), "a, b, c, d and 2 more");
}

TEST(Wording, AListHasAllOfThemWithAndBeforeTheLast) {
    const std::vector<std::string> parts = {"a", "b", "c", "d", "e", "f"};
    const auto told = [&](std::size_t count) { return listed({parts.data(), count}); };
    EXPECT_EQ(told(0), "");
    EXPECT_EQ(told(1), "a");
    EXPECT_EQ(told(2), "a and b");
    EXPECT_EQ(told(3), "a, b and c");
    EXPECT_EQ(told(6), "a, b, c, d, e and f");
}

}  // namespace
}  // namespace overlap
