#include "core/plan/plan_colour.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(PlanColour, EachIsReadByItsName) {
    for (const PlanColour colour : plan_colours) EXPECT_EQ(plan_colour_by_name(plan_colour_name(colour)), colour);
    EXPECT_EQ(plan_colour_by_name(""), PlanColour::none);
    EXPECT_EQ(plan_colour_by_name("blue"), PlanColour::blue);
    EXPECT_EQ(plan_colour_by_name("black"), std::nullopt);
}

}  // namespace
}  // namespace overlap
