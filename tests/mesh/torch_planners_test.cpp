// torch's planners on plans that are short enough to be followed by hand.

#include "core/mesh/planners/torch_planners.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/mesh/planners/strided_order.h"
#include "core/mesh/sharding_text.h"
#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

const DeviceMesh mesh{{2, 4}, {}};
const MeshTensor tensor = MeshTensor::of({64, 48}, "float32");

RedistributionPlan greedy(const char* source, const char* target) {
    return greedy_plan(parse_state(source, 2), parse_state(target, 2), mesh, tensor, *fixed_times());
}

/// The plan as torch runs it, and what it costs by the fixed model where it is not merged.
std::string flattened(const char* source, const char* target) {
    return path_text(flatten_consecutive_steps(greedy(source, target), mesh));
}

double cost_of_strategy(const char* source, const char* target) {
    return strategy_cost(greedy(source, target), parse_state(source, 2), mesh, tensor);
}

}  // namespace

TEST(GreedyPlans, GoFromTheInnermostMeshDimensionOutwards) {
    EXPECT_EQ(path_text(greedy("S(0)S(1)", "RR")), "S(0)S(1)->S(0)R->RR");
    EXPECT_EQ(path_text(greedy("P(sum)R", "RS(0)")), "P(sum)R->RR->RS(0)");
    EXPECT_EQ(greedy("S(0)S(1)", "RR").total_cost, 4.0);
    EXPECT_TRUE(greedy("S(0)R", "S(0)R").steps.empty());
    // The inner shard is gathered while the outer cut is another than wanted.
    EXPECT_EQ(path_text(greedy("S(1)S(0)", "S(0)S(0)")), "S(1)S(0)->S(1)R->S(0)R->S(0)[0]S(0)[1]");
}

TEST(GreedyPlans, HaveNoCostsWhereAStepDoesNotExist) {
    const RedistributionPlan plan = greedy("S(0)S(1)", "P(max)R");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_TRUE(std::isnan(plan.total_cost));
    EXPECT_TRUE(std::isnan(plan.steps.front().cost));
    EXPECT_EQ(plan.steps.back().kind, StepKind::unsupported);
}

TEST(GreedyPlans, TakeShapesAndBytesAsTheyAreOnTheWay) {
    const auto times = torch_times(mesh);
    const std::vector<int> outer = {0}, inner = {1};
    const double gib = static_cast<double>(tensor.bytes()) / (1024.0 * 1024.0 * 1024.0);
    const RedistributionPlan both = greedy_plan(parse_state("S(0)S(1)", 2), parse_state("RR", 2), mesh, tensor, *times);
    ASSERT_EQ(both.steps.size(), 2u);
    EXPECT_EQ(both.steps[0].logical_shape, (Extents{32, 48}));
    EXPECT_EQ(both.steps[0].cost, times->time(StepKind::all_gather, inner, gib / 8));
    EXPECT_EQ(both.steps[1].logical_shape, (Extents{64, 48}));
    EXPECT_EQ(both.steps[1].cost, times->time(StepKind::all_gather, outer, gib / 2));
    EXPECT_EQ(greedy("RS(0)", "RR").steps.front().logical_shape, (Extents{64, 48}));
}

TEST(GreedyPlans, OfAWrongStateAreRefused) {
    EXPECT_EQ(problem_of([] { greedy("S(2)R", "RR"); }),
              "state \"S(2)R\": S(2) cuts a dimension that the tensor does not have: it has 2");
    EXPECT_EQ(problem_of([] { greedy("RR", "S(2)R"); }),
              "state \"S(2)R\": S(2) cuts a dimension that the tensor does not have: it has 2");
}

TEST(Flattening, MergesRunsOfOneKind) {
    EXPECT_EQ(flattened("S(0)S(0)", "RR"), "S(0)[0]S(0)[1]-->RR");
    EXPECT_EQ(flattened("P(sum)P(sum)", "RR"), "P(sum)P(sum)-->RR");
    EXPECT_EQ(flattened("P(sum)P(avg)", "RR"), "P(sum)P(avg)-->RR");
    EXPECT_EQ(flattened("S(0)S(1)", "RR"), "S(0)S(1)->S(0)R->RR");
    EXPECT_EQ(flattened("P(max)P(max)", "RR"), "P(max)P(max)-->RR");
}

TEST(Flattening, AveragesBecomeSumsThatAreDivided) {
    const RedistributionPlan plan = flatten_consecutive_steps(greedy("P(sum)P(avg)", "RR"), mesh);
    ASSERT_EQ(plan.steps.size(), 1u);
    EXPECT_EQ(plan.steps.front().average_over, 4);
    EXPECT_EQ(plan.steps.front().source, Placement::partial(ReduceOp::sum));
    EXPECT_EQ(plan.steps.front().mesh_dims, (std::vector<int>{0, 1}));
    EXPECT_TRUE(std::isnan(plan.steps.front().cost));
    EXPECT_TRUE(std::isnan(plan.total_cost));
}

TEST(Flattening, DescribesTheOneStepOfARun) {
    const RedistributionPlan gathers = flatten_consecutive_steps(greedy("S(0)S(0)", "RR"), mesh);
    ASSERT_EQ(gathers.steps.size(), 1u);
    EXPECT_EQ(gathers.steps.front().kind, StepKind::all_gather);
    EXPECT_EQ(gathers.steps.front().source, Placement::shard(0));
    EXPECT_EQ(gathers.steps.front().destination, Placement::replicate());
    EXPECT_EQ(gathers.steps.front().logical_shape, (Extents{64, 48}));
    EXPECT_EQ(gathers.steps.front().average_over, 1);
    const RedistributionPlan averages = flatten_consecutive_steps(greedy("P(avg)P(sum)", "RR"), mesh);
    ASSERT_EQ(averages.steps.size(), 1u);
    EXPECT_EQ(averages.steps.front().source, Placement::partial(ReduceOp::sum));
    EXPECT_EQ(averages.steps.front().average_over, 2);
}

TEST(Flattening, MergesReduceScattersOfEvenPartsAlone) {
    const auto path = [](const char* source, const char* target, Extents shape) {
        const MeshTensor sized = MeshTensor::of(std::move(shape), "float32");
        return path_text(flatten_consecutive_steps(
            greedy_plan(parse_state(source, 2), parse_state(target, 2), mesh, sized, *fixed_times()), mesh));
    };
    EXPECT_EQ(path("P(sum)P(sum)", "S(0)S(0)", {64, 48}), "P(sum)P(sum)-->S(0)[0]S(0)[1]");
    EXPECT_EQ(path("P(sum)P(sum)", "S(0)S(0)", {60, 48}), "P(sum)P(sum)->S(0)P(sum)->S(0)[0]S(0)[1]");
    EXPECT_EQ(path("S(0)S(0)", "RR", {60, 48}), "S(0)[0]S(0)[1]-->RR");
}

TEST(Flattening, KeepsTheCostsOfWhatIsNotMerged) {
    const RedistributionPlan plan = flatten_consecutive_steps(greedy("S(0)S(1)", "RR"), mesh);
    EXPECT_EQ(plan.total_cost, 4.0);
    EXPECT_EQ(plan.states.size(), 3u);
}

TEST(StrategyCosts, AreOfTheBytesAlongTheWay) {
    EXPECT_EQ(cost_of_strategy("RR", "S(0)R"), 0.0);
    EXPECT_EQ(cost_of_strategy("S(0)R", "S(0)R"), 0.0);
    EXPECT_EQ(cost_of_strategy("S(0)R", "P(sum)R"), std::numeric_limits<double>::infinity());
    EXPECT_EQ(cost_of_strategy("P(sum)R", "P(avg)R"), std::numeric_limits<double>::infinity());
    const double gib = static_cast<double>(tensor.bytes()) / (1024.0 * 1024.0 * 1024.0);
    const auto times = torch_times(mesh);
    const std::vector<int> outer = {0}, inner = {1};
    // The first gather returns four times what the rank had, and the second begins with that.
    EXPECT_EQ(cost_of_strategy("S(0)S(1)", "RR"), times->time(StepKind::all_gather, inner, gib / 8) +
                                                      times->time(StepKind::all_gather, outer, gib / 8 * 4));
}

TEST(StrategyCosts, OfStridedShardsAreNone) {
    const ShardingState strided = state_in_default_order({Placement::strided_shard(0, 4), Placement::shard(1)});
    const auto times = torch_times(mesh);
    GraphPlanner graph(mesh, tensor, *times);
    const RedistributionPlan plan = graph.plan(strided, parse_state("RS(1)", 2));
    EXPECT_EQ(path_text(plan), "_S(0, 4)S(1)->RS(1)");
    EXPECT_EQ(strategy_cost(plan, strided, mesh, tensor), 0.0);
    // The bytes stay those of an eighth.
    const std::vector<int> inner = {1};
    const RedistributionPlan both = greedy_plan(strided, parse_state("RR", 2), mesh, tensor, *times);
    EXPECT_EQ(
        strategy_cost(both, strided, mesh, tensor),
        times->time(StepKind::all_gather, inner, static_cast<double>(tensor.bytes()) / 8 / (1024.0 * 1024.0 * 1024.0)));
}

TEST(GraphPlans, TakeTheStepsThatTorchKnows) {
    const auto times = torch_times(mesh);
    GraphPlanner graph(mesh, tensor, *times);
    const auto path = [&](const char* source, const char* target) {
        return path_text(graph.plan(parse_state(source, 2), parse_state(target, 2)));
    };
    EXPECT_EQ(path("P(sum)R", "RR"), "P(sum)R->RR");
    EXPECT_EQ(path("P(sum)R", "S(1)R"), "P(sum)R->S(1)R");
    EXPECT_EQ(path("RS(1)", "RR"), "RS(1)->RR");
    EXPECT_EQ(path("RR", "P(sum)R"), "RR->P(sum)R");
    EXPECT_EQ(path("RR", "RP(sum)"), "RR->RP(sum)");
    // A shard may be taken for a sum, the rest of which is zero, but only where a sum is wanted.
    EXPECT_EQ(path("S(0)R", "P(sum)R"), "S(0)R->P(sum)R");
    EXPECT_EQ(path("RS(1)", "RP(sum)"), "RS(1)->RP(sum)");
    EXPECT_EQ(path("_S(0, 4)R", "RR"), "_S(0, 4)R->RR");
    EXPECT_EQ(path("RR", "_S(0, 4)R"), "RR->_S(0, 4)R");
}

TEST(GraphPlans, AnswerOneQuestionAfterAnother) {
    const auto times = torch_times(mesh);
    GraphPlanner graph(mesh, tensor, *times);
    const auto path = [&](const char* source, const char* target) {
        return path_text(graph.plan(parse_state(source, 2), parse_state(target, 2)));
    };
    EXPECT_EQ(path("RR", "P(sum)P(avg)"), "RR->P(sum)R->P(sum)P(avg)");
    EXPECT_EQ(path("RR", "P(max)R"), "RR->P(max)R");
    EXPECT_EQ(path("_S(0, 4)R", "RR"), "_S(0, 4)R->RR");
    EXPECT_EQ(path("_S(1, 2)R", "P(max)R"), "_S(1, 2)R->RR->P(max)R");
}

TEST(StridedOrders, SayWhatLiesOutside) {
    const ShardingState swapped = parse_state("S(0)[1]S(0)[0]", 2);
    const std::vector<Placement> strided = {Placement::strided_shard(0, 4), Placement::shard(0)};
    EXPECT_EQ(strided_placements(swapped, mesh), strided);
    EXPECT_EQ(decode_strided_placements(strided, mesh), swapped);
    EXPECT_EQ(decode_strided_placements({Placement::strided_shard(0, 3), Placement::shard(0)}, mesh), std::nullopt);
    const ShardingState plain = parse_state("S(0)S(0)", 2);
    EXPECT_EQ(strided_placements(plain, mesh), plain.placements);
    EXPECT_EQ(decode_strided_placements(plain.placements, mesh), plain);
    EXPECT_EQ(problem_of([&] { strided_placements(state_in_default_order(strided), mesh); }),
              "state \"_S(0, 4)[0]S(0)[1]\": an order is written into plain shards only, this state has strided shards "
              "already");
}

TEST(DefaultPlans, AreGreedyUnlessAnOrderIsNotTorchsOwn) {
    const auto times = fixed_times();
    GraphPlanner graph(mesh, tensor, *times);
    const auto plan = [&](const ShardingState& source, const ShardingState& target, StridedShards meaning) {
        return default_plan(source, target, mesh, tensor, graph, *times, meaning);
    };
    const ShardingState plain = parse_state("S(0)S(0)", 2), replicated = parse_state("RR", 2);
    const ShardingState swapped = parse_state("S(0)[1]S(0)[0]", 2);
    const StridedShards as_they_are = StridedShards::are_placements, as_order = StridedShards::encode_order;
    EXPECT_EQ(plan(plain, replicated, as_they_are).states_expanded, 0u);
    EXPECT_EQ(plan(plain, replicated, as_order).states_expanded, 0u);
    EXPECT_GT(plan(swapped, replicated, as_they_are).states_expanded, 0u);
    EXPECT_GT(plan(replicated, swapped, as_they_are).states_expanded, 0u);
    const ShardingState encoded = state_in_default_order(strided_placements(swapped, mesh));
    const ShardingState undecodable = state_in_default_order({Placement::strided_shard(0, 3), Placement::shard(0)});
    EXPECT_EQ(plan(encoded, replicated, as_order).states.front(), swapped);
    EXPECT_EQ(plan(replicated, encoded, as_order).states.back(), swapped);
    EXPECT_EQ(plan(undecodable, replicated, as_order).states_expanded, 0u);
    EXPECT_EQ(plan(replicated, undecodable, as_order).states_expanded, 0u);
}

}  // namespace overlap::test
