#include "core/mesh/placement.h"

#include <gtest/gtest.h>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

std::string problem(std::string_view text) {
    return problem_of([&] { parse_placement(text); });
}

}  // namespace

TEST(Placement, IsWrittenAndReadAsTorchWritesIt) {
    for (const std::string text : {"R", "S(0)", "S(12)", "P(sum)", "P(avg)", "P(min)", "P(max)", "P(product)",
                                   "P(band)", "P(bor)", "P(bxor)", "_S(1, 4)"})
        EXPECT_EQ(to_text(parse_placement(text)), text);
    EXPECT_EQ(to_text(parse_placement("P")), "P(sum)");
    // A partial has no tensor dimension by which it could differ.
    EXPECT_EQ(parse_placement("P(max)"), (Placement{PlacementKind::partial, ReduceOp::max, 0, 1}));
}

TEST(Placement, SpacesAroundNumbersDoNotMatter) {
    EXPECT_EQ(parse_placement("S( 3 )"), Placement::shard(3));
    EXPECT_EQ(parse_placement("_S( 1 ,  4 )"), Placement::strided_shard(1, 4));
}

TEST(Placement, NumbersHaveALeastAndALargest) {
    EXPECT_EQ(parse_placement("S(1048576)").tensor_dim, 1'048'576);
    EXPECT_EQ(problem("S(1048577)"), "placement \"S(1048577)\": expected a number from 0 to 1,048,576");
    EXPECT_EQ(problem("S(-1)"), "placement \"S(-1)\": expected a number from 0 to 1,048,576");
    EXPECT_EQ(problem("S(x)"), "placement \"S(x)\": expected a number from 0 to 1,048,576");
    EXPECT_EQ(parse_placement("_S(0, 1)").split_factor, 1);
    EXPECT_EQ(problem("_S(0, 0)"), "placement \"_S(0, 0)\": expected a number from 1 to 1,048,576");
}

TEST(Placement, SaysWhatIsMissing) {
    EXPECT_EQ(problem("X"), "placement \"X\": expected R, S(dim), P(op) or _S(dim, split factor)");
    EXPECT_EQ(problem("_R"), "placement \"_R\": expected R, S(dim), P(op) or _S(dim, split factor)");
    EXPECT_EQ(problem("S(0"), "placement \"S(0\": a closing parenthesis is missing");
    EXPECT_EQ(problem("P(max"), "placement \"P(max\": a closing parenthesis is missing");
    EXPECT_EQ(problem("_S(0, 2"), "placement \"_S(0, 2\": a closing parenthesis is missing");
    EXPECT_EQ(problem("_S(0)"), "placement \"_S(0)\": a strided shard needs its split factor, such as _S(0, 2)");
    EXPECT_EQ(problem("S(0)R"), "placement \"S(0)R\": nothing may follow S(0)");
}

}  // namespace overlap::test
