#include "core/timeline/curve_rasterizer.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

const MemoryCurve curve{{100, 200, 201, 300, 400}, {10, 20, 90, 5, 30}};

TEST(CurveRasterizer, KeepsLowestAndHighestOfEachColumn) {
    const std::vector<CurveColumn> expected{
        {0, 0, false}, {10, 10, true}, {10, 90, true}, {5, 90, true}, {5, 30, true}};
    EXPECT_EQ(rasterize_curve(curve, {{0, 500}, 5}), expected);
}

TEST(CurveRasterizer, AValueHoldsUntilTheNextPoint) {
    const std::vector<CurveColumn> between{{5, 5, true}, {5, 5, true}};
    EXPECT_EQ(rasterize_curve(curve, {{320, 380}, 2}), between);
    const std::vector<CurveColumn> after{{30, 30, true}};
    EXPECT_EQ(rasterize_curve(curve, {{1000, 2000}, 1}), after);
}

TEST(CurveRasterizer, OfNothingIsUndefined) {
    EXPECT_FALSE(rasterize_curve({}, {{0, 10}, 1})[0].defined);
    EXPECT_TRUE(rasterize_curve(curve, {{0, 10}, 0}).empty());
}

TEST(MemoryCurve, PeaksAtItsHighestPoint) {
    EXPECT_EQ(curve.peak(), 2u);
}

}  // namespace
}  // namespace overlap
