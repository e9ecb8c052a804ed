#include "core/graph/editing/draft_array.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace overlap {
namespace {

SharedArray<int> counted(int count) {
    std::vector<int> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
    return SharedArray<int>(std::move(items));
}

std::vector<int> items_of(const SharedArray<int>& array) {
    return {array.begin(), array.end()};
}

TEST(DraftArray, IsItsSourceUntilItIsWritten) {
    const SharedArray<int> source = counted(10);
    const DraftArray<int, 2> draft(source);
    EXPECT_EQ(draft.size(), 10u);
    EXPECT_EQ(&draft[7], source.data() + 7);
    EXPECT_FALSE(draft.changed());
    EXPECT_EQ(draft.finish().data(), source.data());
}

TEST(DraftArray, CopiesTheWrittenPageAlone) {
    const SharedArray<int> source = counted(10);
    DraftArray<int, 2> draft(source);
    draft.write(5) = 50;
    draft.write(6) = 60;
    EXPECT_TRUE(draft.changed());
    EXPECT_EQ(draft[4], 4);
    EXPECT_EQ(draft[5], 50);
    EXPECT_EQ(&draft[3], source.data() + 3);
    EXPECT_EQ(&draft[8], source.data() + 8);
    EXPECT_EQ(items_of(draft.finish()), std::vector<int>({0, 1, 2, 3, 4, 50, 60, 7, 8, 9}));
    EXPECT_EQ(source[5], 5);
}

TEST(DraftArray, GrowsWithinAPageAndBeyondIt) {
    for (const int begin : {0, 3, 4}) {
        const SharedArray<int> source = counted(begin);
        DraftArray<int, 2> draft(source);
        for (int item = begin; item < 11; ++item) draft.push_back(item);
        EXPECT_EQ(items_of(draft.finish()), items_of(counted(11)));
        EXPECT_EQ(source.size(), static_cast<std::size_t>(begin));
    }
}

TEST(DraftArray, IsFinishedInAnotherOrder) {
    DraftArray<int, 2> draft(counted(6));
    draft.push_back(6);
    const std::vector<std::uint32_t> order = {6, 0, 5};
    EXPECT_EQ(items_of(draft.finish(order, false)), std::vector<int>({6, 0, 5}));
}

TEST(DraftArena, SharesWhatItBeganWith) {
    const SharedArena<int> source(std::vector<int>(100, 1));
    DraftArena<int> draft(source);
    EXPECT_EQ(draft.add(std::vector{2, 3}), 100u);
    EXPECT_EQ(draft.add(std::vector{4}), 102u);
    EXPECT_TRUE(draft.is_new(100));
    EXPECT_FALSE(draft.is_new(99));
    draft.write(101, 1)[0] = 30;
    const SharedArena<int> made = std::move(draft).finish();
    EXPECT_EQ(made.base().data(), source.base().data());
    EXPECT_EQ(made.size(), 103u);
    EXPECT_EQ(made[99], 1);
    EXPECT_EQ(made.slice(100, 2)[1], 30);
    EXPECT_EQ(made[102], 4);
    EXPECT_EQ(source.size(), 100u);

    DraftArena<int> next(made);
    EXPECT_EQ(next.add({}), 103u);
    EXPECT_EQ(next[102], 4);
    next.add(std::vector{5});
    const SharedArena<int> later = std::move(next).finish();
    EXPECT_EQ(later.base().data(), source.base().data());
    EXPECT_EQ(later[101], 30);
    EXPECT_EQ(later[103], 5);
}

TEST(DraftArena, BecomesOneArrayWhenMuchWasAdded) {
    const SharedArena<int> source(std::vector<int>(10, 1));
    DraftArena<int> draft(source);
    draft.add(std::vector<int>(20, 2));
    const SharedArena<int> made = std::move(draft).finish();
    EXPECT_EQ(made.added().size(), 0u);
    EXPECT_EQ(made[9], 1);
    EXPECT_EQ(made[29], 2);
}

TEST(DraftArena, IsItsSourceWhenNothingWasAdded) {
    const SharedArena<int> source(std::vector<int>(10, 1));
    DraftArena<int> draft(source);
    draft.add({});
    EXPECT_EQ(std::move(draft).finish().base().data(), source.base().data());
}

TEST(DraftArena, WhatWasReadStaysWhereItIsWhileMoreIsAdded) {
    const SharedArena<int> source(std::vector<int>{1, 2, 3});
    DraftArena<int> draft(source);
    const std::size_t first = draft.add(std::vector<int>{4, 5});
    const std::span<const int> read = draft.slice(first, 2);
    for (int round = 0; round < 1000; ++round) draft.add(read);  // of its own items, through every growth
    EXPECT_EQ(read[0], 4);
    EXPECT_EQ(read[1], 5);
    ASSERT_EQ(draft.size(), 3u + 2 + 2000);
    for (std::size_t index = first; index < draft.size(); ++index) ASSERT_EQ(draft[index], (index - first) % 2 ? 5 : 4);
}

}  // namespace
}  // namespace overlap
