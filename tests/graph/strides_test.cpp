#include "core/graph/strides.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace overlap {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(ContiguousStrides, CountASizeOfZeroAsOne) {
    EXPECT_EQ(contiguous_strides(Numbers{2, 3, 4}), (Numbers{12, 4, 1}));
    EXPECT_EQ(contiguous_strides(Numbers{2, 1, 4}), (Numbers{4, 4, 1}));
    EXPECT_EQ(contiguous_strides(Numbers{2, 0, 4}), (Numbers{4, 4, 1}));
    EXPECT_EQ(contiguous_strides(Numbers{}), Numbers{});
}

TEST(ContiguousTensors, AreThoseWhoseStridesAreWhereTheyCount) {
    EXPECT_TRUE(is_contiguous(Numbers{2, 3}, Numbers{3, 1}));
    EXPECT_TRUE(is_contiguous(Numbers{2, 1, 3}, Numbers{3, 77, 1})) << "a size of one";
    EXPECT_TRUE(is_contiguous(Numbers{2, 0}, Numbers{9, 9})) << "no element";
    EXPECT_FALSE(is_contiguous(Numbers{2, 3}, Numbers{1, 2}));
    EXPECT_FALSE(is_contiguous(Numbers{2, 3}, Numbers{4, 1}));
}

TEST(DenseTensors, FillTheirMemoryInSomeOrder) {
    struct Case {
        Numbers sizes, strides;
        bool dense;
    };
    for (const Case& of : {Case{{2, 3}, {3, 1}, true}, Case{{2, 3}, {1, 2}, true}, Case{{3, 2, 4}, {2, 1, 6}, true},
                           Case{{2, 3, 4, 5}, {60, 1, 15, 3}, true}, Case{{2, 1, 3}, {1, 99, 2}, true},
                           Case{{1, 3, 2}, {5, 1, 3}, true}, Case{{2, 3}, {4, 1}, false}, Case{{2, 3}, {1, 3}, false},
                           Case{{2, 2}, {1, 1}, false}, Case{{3, 2}, {2, 2}, false}, Case{{2}, {2}, false}})
        EXPECT_EQ(is_dense(of.sizes, of.strides), of.dense)
            << testing::PrintToString(of.sizes) << " with strides " << testing::PrintToString(of.strides);
}

TEST(ViewsWithoutACopy, HaveStridesWhereDimensionsOfOneChunkAreCutOrJoined) {
    struct Case {
        Numbers sizes, strides, wanted;
        std::optional<Numbers> found;
    };
    for (const Case& of :
         {Case{{2, 3, 4}, {12, 4, 1}, {6, 4}, Numbers{4, 1}}, Case{{6, 4}, {4, 1}, {2, 3, 2, 2}, Numbers{12, 4, 2, 1}},
          Case{{2, 3}, {6, 2}, {6}, Numbers{2}}, Case{{2, 3}, {6, 2}, {3, 1, 2}, Numbers{4, 4, 2}},
          Case{{4, 6}, {1, 4}, {2, 2, 6}, Numbers{2, 1, 4}}, Case{{4, 6}, {1, 4}, {4, 3, 2}, Numbers{1, 8, 4}},
          Case{{4, 1, 6}, {8, 3, 1}, {4, 6}, Numbers{8, 1}}, Case{{4, 2}, {1, 4}, {8}, std::nullopt},
          Case{{4, 6}, {8, 1}, {3, 8}, std::nullopt}, Case{{}, {}, {1, 1}, Numbers{1, 1}},
          Case{{0, 3}, {7, 5}, {0, 3}, Numbers{7, 5}}, Case{{0, 3}, {7, 5}, {3, 0}, Numbers{1, 1}}})
        EXPECT_EQ(view_strides(of.sizes, of.strides, of.wanted), of.found)
            << testing::PrintToString(of.sizes) << " with strides " << testing::PrintToString(of.strides) << " as "
            << testing::PrintToString(of.wanted);
}

TEST(NewTensors, HaveTheirDimensionsInTheOrderOfTheOperands) {
    const auto strides = [](const Numbers& sizes, const std::vector<Numbers>& operands) {
        return strides_in_order_of(sizes, operands);
    };
    EXPECT_EQ(strides({2, 3}, {{3, 1}}), (Numbers{3, 1}));
    EXPECT_EQ(strides({2, 3}, {{1, 2}}), (Numbers{1, 2}));
    EXPECT_EQ(strides({2, 3}, {{0, 0}, {1, 2}}), (Numbers{1, 2})) << "what is broadcast does not decide";
    EXPECT_EQ(strides({2, 3}, {{1, 2}, {3, 1}}), (Numbers{1, 2})) << "the first one decides";
    EXPECT_EQ(strides({2, 0, 3}, {{1, 6, 2}}), (Numbers{1, 6, 2}));
    EXPECT_EQ(preserved_strides(Numbers{2, 3}, Numbers{1, 2}), (Numbers{1, 2}));
    EXPECT_EQ(preserved_strides(Numbers{2, 3}, Numbers{1, 4}), (Numbers{1, 2})) << "without the holes";
}

TEST(MemoryOfATensor, ReachesToItsLastElement) {
    EXPECT_EQ(memory_reach(Numbers{2, 3}, Numbers{4, 1}), 7);
    EXPECT_EQ(memory_reach(Numbers{}, Numbers{}), 1);
    EXPECT_EQ(memory_reach(Numbers{2, 0}, Numbers{4, 1}), 0);
    EXPECT_EQ(memory_reach(Numbers{2}, Numbers{most_elements - 1}), most_elements);
    EXPECT_EQ(memory_reach(Numbers{2}, Numbers{most_elements}), std::nullopt);
    EXPECT_EQ(memory_reach(Numbers{1 << 20, 1 << 20}, Numbers{std::int64_t{1} << 62, 1}), std::nullopt);
}

}  // namespace
}  // namespace overlap
