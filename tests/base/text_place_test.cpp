#include "core/base/text_place.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(TextPlace, CountsLinesAndColumnsFromOne) {
    EXPECT_EQ(text_place("", 0), "line 1, column 1");
    EXPECT_EQ(text_place("ab\ncd", 2), "line 1, column 3");  // the break itself
    EXPECT_EQ(text_place("ab\ncd", 3), "line 2, column 1");
    EXPECT_EQ(text_place("ab\ncd", 99), "line 2, column 3");
}

TEST(TextPlace, ColumnsAreCharacters) {
    EXPECT_EQ(text_place("µs ∆x", 4), "line 1, column 4");
    EXPECT_EQ(text_place("µs ∆x", 7), "line 1, column 5");
}

}  // namespace
}  // namespace overlap
