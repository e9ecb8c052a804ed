#include "core/passes/bucketing/traced_sequence.h"

#include <gtest/gtest.h>

#include <random>

namespace overlap {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(ViewStridesTest, FollowsTorch) {
    const auto strides = [](Sizes old_sizes, Sizes old_strides, Sizes new_sizes) {
        return view_strides(old_sizes, old_strides, new_sizes).value_or(Sizes{-1});
    };
    EXPECT_EQ(strides({4, 6}, {6, 1}, {24}), Sizes({1}));
    EXPECT_EQ(strides({4, 6}, {6, 1}, {2, 2, 6}), Sizes({12, 6, 1}));
    EXPECT_EQ(strides({4, 6}, {1, 4}, {24}), Sizes({-1}));               // transposed: no view
    EXPECT_EQ(strides({4, 6}, {10, 1}, {2, 2, 6}), Sizes({20, 10, 1}));  // rows of a wider matrix
    EXPECT_EQ(strides({4, 6}, {10, 1}, {24}), Sizes({-1}));
    EXPECT_EQ(strides({8, 1}, {5, 1}, {8}), Sizes({5}));  // one element a row keeps its distance
    EXPECT_EQ(strides({1, 6}, {99, 1}, {6}), Sizes({1}));
    EXPECT_EQ(strides({3}, {2}, {3, 1}), Sizes({2, 2}));
    EXPECT_EQ(strides({}, {}, {1}), Sizes({1}));
    EXPECT_EQ(strides({0, 3}, {3, 1}, {0}), Sizes({1}));
}

TEST(ViewStridesTest, AViewAddressesTheSameElementsInTheSameOrder) {
    std::mt19937 random(3);
    int views = 0;
    for (int round = 0; round < 2000; ++round) {
        Sizes sizes, strides;
        std::int64_t stride = 1;
        for (std::uint32_t left = 1 + random() % 3; left-- > 0;) {
            sizes.insert(sizes.begin(), 1 + static_cast<std::int64_t>(random() % 4));
            strides.insert(strides.begin(), stride);
            stride *= sizes.front() * (random() % 3 == 0 ? 2 : 1);
        }
        std::int64_t count = 1;
        for (const std::int64_t size : sizes) count *= size;
        Sizes other;
        for (std::int64_t rest = count, factor; rest > 1; rest /= factor) {
            for (factor = 2; rest % factor != 0;) ++factor;
            if (random() % 2 && !other.empty()) {
                other.back() *= factor;
            } else {
                other.push_back(factor);
            }
        }
        if (random() % 4 == 0)
            other.insert(other.begin() + static_cast<std::ptrdiff_t>(random() % (other.size() + 1)), 1);
        const auto viewed = view_strides(sizes, strides, other);
        if (!viewed) continue;
        ++views;
        const auto address = [](std::int64_t element, const Sizes& of_sizes, const Sizes& of_strides) {
            std::int64_t place = 0;
            for (std::size_t dimension = of_sizes.size(); dimension-- > 0;) {
                place += element % of_sizes[dimension] * of_strides[dimension];
                element /= of_sizes[dimension];
            }
            return place;
        };
        for (std::int64_t element = 0; element < count; ++element) {
            ASSERT_EQ(address(element, sizes, strides), address(element, other, *viewed)) << "round " << round;
        }
    }
    EXPECT_GT(views, 500);
}

TEST(ContiguousTest, DimensionsOfSizeOneDoNotCount) {
    EXPECT_TRUE(is_contiguous(Sizes{2, 1, 3}, Sizes{3, 77, 1}));
    EXPECT_TRUE(is_contiguous(Sizes{0, 5}, Sizes{1, 1}));
    EXPECT_FALSE(is_contiguous(Sizes{2, 3}, Sizes{1, 2}));
    EXPECT_EQ(contiguous_strides(Sizes{2, 0, 3}), Sizes({3, 3, 1}));
}

}  // namespace
}  // namespace overlap
