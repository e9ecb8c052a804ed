// What no placement or state can be, in the sentence that says so.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/mesh/sharding_state.h"
#include "core/mesh/sharding_text.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using test::problem_of;

TEST(MeshStates, PlacementsThatThereAreNot) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"X", "expected R, S(dim), P(op) or _S(dim, split factor)"},
        {"_R", "expected R, S(dim), P(op) or _S(dim, split factor)"},
        {"S(", "expected a number from 0 to 1,048,576"},
        {"S(-1)", "expected a number from 0 to 1,048,576"},
        {"S(1048577)", "expected a number from 0 to 1,048,576"},
        {"S( 1 ", "a closing parenthesis is missing"},
        {"P(sum", "a closing parenthesis is missing"},
        {"_S(0)", "a strided shard needs its split factor, such as _S(0, 2)"},
        {"_S(0, 0)", "expected a number from 1 to 1,048,576"},
        {"_S(0, 2", "a closing parenthesis is missing"},
        {"S(0)R", "nothing may follow S(0)"},
    };
    for (const auto& [text, problem] : cases) {
        EXPECT_EQ(problem_of([&, &written = text] { parse_placement(written); }),
                  "placement \"" + text + "\": " + problem);
    }
    EXPECT_EQ(parse_placement("P"), Placement::partial(ReduceOp::sum));
    EXPECT_EQ(to_text(parse_placement("P(bxor)")), "P(bxor)");
    EXPECT_EQ(to_text(parse_placement("_S( 1 , 4 )")), "_S(1, 4)");
}

TEST(MeshStates, TextsOfStatesThatAreIncomplete) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"S(0)[x]S(0)[1]", "expected a number in the brackets"},
        {"S(0)[-1]S(0)[1]", "expected a number in the brackets"},
        {"S(0)[0S(0)[1]", "a closing bracket is missing"},
        {"S(0)<0]S(0)<1>", "a closing bracket is missing"},
        {"S(0)[0,1]R", "R does not say its mesh dimensions"},
        {"S(0)[0,1]S(0)[1]", "mesh dimension 1 is there twice"},
        {"S(0)<1>S(0)<1>", "the places of tensor dimension 0 are 0 to 1, each once"},
        {"S(0)<0>S(0)<2>", "the places of tensor dimension 0 are 0 to 1, each once"},
    };
    for (const auto& [text, problem] : cases) {
        EXPECT_EQ(problem_of([&, &written = text] { parse_state(written, 2); }), "state \"" + text + "\": " + problem);
    }
    EXPECT_EQ(problem_of([] { parse_state("S(0)[0,1]S(0)[2]", 3); }),
              "state \"S(0)[0,1]S(0)[2]\": tensor dimension 0 is there twice");
}

/// Placements as text, and an order of its own.
std::string problem_of_state(std::string_view placements, ShardOrder order, const Extents& mesh, int tensor_dims) {
    ShardingState state = parse_state(placements, static_cast<int>(mesh.size()));
    state.shard_order = std::move(order);
    return problem_of([&] { validate_state(state, {mesh, {}, 8}, tensor_dims); });
}

TEST(MeshStates, StatesThatDoNotFitTheirMeshOrTensor) {
    EXPECT_EQ(problem_of_state("S(0)S(0)", {{0, {1, 0}}}, {2, 2}, 1), "accepted");
    EXPECT_EQ(problem_of([] {
                  validate_state(parse_state("RR", 2), {{2}, {}, 8}, 1);
              }),
              "state \"RR\": the mesh has 1 dimension, the state 2 placements");
    EXPECT_EQ(problem_of_state("S(1)", {{1, {0}}}, {2}, 1),
              "state \"S(1)\": S(1) cuts a dimension that the tensor does not have: it has 1");
    EXPECT_EQ(problem_of_state("P(sum)P(max)", {}, {2, 2}, 1),
              "state \"P(sum)P(max)\": torch does not mix partial operations in one placement other than sum with avg");
    EXPECT_EQ(problem_of_state("P(sum)P(avg)", {}, {2, 2}, 1), "accepted");
}

TEST(MeshStates, OrdersThatDoNotFitTheirPlacements) {
    const auto problem = [](ShardOrder order) {
        const std::string text = problem_of_state("S(0)S(0)R", std::move(order), {2, 2, 2}, 2);
        return text.substr(text.find(": ") + 2);
    };
    EXPECT_EQ(problem({{0, {0, 1}}, {1, {}}}), "the order of tensor dimension 1 is empty");
    EXPECT_EQ(problem({{0, {0, 3}}}), "the order of tensor dimension 0 names mesh dimension 3, the mesh has 3");
    EXPECT_EQ(problem({{0, {-1}}}), "the order of tensor dimension 0 names mesh dimension -1, the mesh has 3");
    EXPECT_EQ(problem({{0, {0, 0}}}), "the order names mesh dimension 0 twice");
    EXPECT_EQ(problem({{0, {0, 2}}}), "the order of tensor dimension 0 names mesh dimension 2, which is R");
    EXPECT_EQ(problem({{1, {0}}, {0, {1}}}), "the order of tensor dimension 1 names mesh dimension 0, which is S(0)");
    EXPECT_EQ(problem({{0, {0}}, {0, {1}}}),
              "the entries of an order name tensor dimensions in ascending order, each once");
    EXPECT_EQ(problem({{-1, {0}}}), "the entries of an order name tensor dimensions in ascending order, each once");
    EXPECT_EQ(problem({{0, {0}}}), "the order of tensor dimension 0 lacks mesh dimension 1");
}

TEST(MeshStates, TextsByTensorDimensionNameEveryKindOfPlacement) {
    const ShardingState state = parse_state("S(1)RP(max)S(1)P(sum)", 5);
    EXPECT_EQ(to_tensor_centric_text(state), "S(1)[0,3]R[1]P(sum)[4]P(max)[2]");
    EXPECT_EQ(parse_state(to_tensor_centric_text(state), 5), state);
    EXPECT_EQ(spec_text(parse_state("R", 1), {{4}, "made_up", 4}), "Spec(made_up[4](R))");
}

}  // namespace
}  // namespace overlap
