#include "core/timeline/lane_stack.h"

#include <gtest/gtest.h>

#include <vector>

namespace overlap {
namespace {

TEST(LaneStack, FindsTheRowAtAHeight) {
    const LaneStack stack(std::vector<std::int32_t>{20, 5, 30});
    EXPECT_EQ(stack.size(), 3u);
    EXPECT_EQ(stack.total_px(), 55);
    EXPECT_EQ(stack.top_px(2), 25);
    EXPECT_EQ(stack.height_px(1), 5);
    EXPECT_EQ(stack.row_at(-1), -1);
    EXPECT_EQ(stack.row_at(0), 0);
    EXPECT_EQ(stack.row_at(19), 0);
    EXPECT_EQ(stack.row_at(20), 1);
    EXPECT_EQ(stack.row_at(54), 2);
    EXPECT_EQ(stack.row_at(55), -1);
}

TEST(LaneStack, OfNoRowsHasNone) {
    const LaneStack stack(std::vector<std::int32_t>{});
    EXPECT_EQ(stack.size(), 0u);
    EXPECT_EQ(stack.total_px(), 0);
    EXPECT_EQ(stack.row_at(0), -1);
}

}  // namespace
}  // namespace overlap
