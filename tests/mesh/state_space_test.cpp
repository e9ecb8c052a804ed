// The steps out of a state, and which of several paths of one cost they lead to.

#include "core/mesh/planners/state_space.h"

#include <gtest/gtest.h>

#include "core/mesh/sharding_text.h"

namespace overlap {
namespace {

constexpr std::uint8_t both = 0b11;  // mesh dimensions

StateSpace merged_space() {
    StateSpaceRules rules;
    rules.merged_collectives = true;
    return StateSpace(StateCode(2, 2, {}), std::move(rules), {{2, 4}, {64, 48}});
}

std::span<const StateEdge> edges_from(StateSpace& space, const char* state) {
    return space.edges(space.find(space.code().pack(parse_state(state, 2))));
}

/// The steps that lead right from one state to the other.
std::vector<StateEdge> edges_between(const char* from, const char* to) {
    StateSpace space = merged_space();
    const std::uint32_t target = space.find(space.code().pack(parse_state(to, 2)));
    std::vector<StateEdge> found;
    for (const StateEdge& edge : edges_from(space, from))
        if (edge.target == target) found.push_back(edge);
    return found;
}

void expect_step(const char* from, const char* to, EdgeCost cost, unsigned penalty) {
    SCOPED_TRACE(std::string(from) + " to " + to);
    const std::vector<StateEdge> edges = edges_between(from, to);
    ASSERT_EQ(edges.size(), 1u);
    EXPECT_EQ(edges.front().cost, cost);
    EXPECT_EQ(edges.front().mesh_dims, both);
    EXPECT_EQ(edges.front().penalty, penalty);
}

TEST(MergedSteps, PreferTheOrderOfTheCommunicator) {
    expect_step("S(0)S(0)", "RR", EdgeCost::all_gather, 1);
    expect_step("S(0)[1]S(0)[0]", "RR", EdgeCost::all_gather, 2);
    expect_step("S(0)S(0)", "S(1)S(1)", EdgeCost::all_to_all, 1);
    expect_step("S(0)S(0)", "S(1)[1]S(1)[0]", EdgeCost::all_to_all, 2);
    expect_step("P(sum)P(sum)", "S(1)S(1)", EdgeCost::reduce_scatter, 1);
    expect_step("P(sum)P(sum)", "S(1)[1]S(1)[0]", EdgeCost::reduce_scatter, 2);
}

TEST(MergedSteps, ReduceWhatOneReductionCanTakeTogether) {
    expect_step("P(sum)P(sum)", "RR", EdgeCost::all_reduce, 1);
    expect_step("P(max)P(max)", "RR", EdgeCost::all_reduce, 1);
    expect_step("P(sum)P(avg)", "RR", EdgeCost::all_reduce, 1);
    expect_step("P(avg)P(sum)", "S(0)S(0)", EdgeCost::reduce_scatter, 1);
    EXPECT_TRUE(edges_between("P(sum)P(max)", "RR").empty());
    EXPECT_TRUE(edges_between("P(max)P(min)", "S(0)S(0)").empty());
    EXPECT_TRUE(edges_between("P(sum)R", "S(0)S(0)").empty());
}

// One dimension alone to the other, to a replicate or to a sum; both to a replicate, or to the other in either order.
TEST(MergedSteps, AreBesideThoseOfOneMeshDimension) {
    StateSpace space = merged_space();
    EXPECT_EQ(edges_from(space, "S(0)S(0)").size(), 6u);
}

}  // namespace
}  // namespace overlap
