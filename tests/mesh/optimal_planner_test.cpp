#include "core/mesh/planners/optimal_planner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/mesh/sharding_text.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

TEST(OptimalPlanner, TakesWhatTorchExecutesWhereTorchsExecutorRefusesAPathOfTheSameCost) {
    // Found by the fuzz target: a replicate on one rank could as well become partial, and be scattered with the others.
    const DeviceMesh mesh{{1, 2, 2}, {}};
    const MeshTensor tensor = MeshTensor::of({261, 84, 72}, "float32");
    const auto times = torch_times(mesh);
    const OptimalPlan optimal = OptimalPlanner(mesh, tensor, *times)
                                    .plan(parse_state("RP(bor)P(bor)", 3), parse_state("S(1)[2]S(1)[1]S(1)[0]", 3));
    EXPECT_EQ(execution_error(optimal.plan), "") << path_text(optimal.plan);
    EXPECT_EQ(executed_cost(optimal.plan, mesh, tensor, *times), optimal.plan.total_cost);
}

TEST(OptimalPlanner, PricesAPathThatOnlyOthersThanTorchCanExecute) {
    const DeviceMesh mesh{{2, 2}, {}};
    const MeshTensor tensor = MeshTensor::of({64, 48}, "float32");
    const auto times = torch_times(mesh);
    const OptimalPlan optimal =
        OptimalPlanner(mesh, tensor, *times).plan(parse_state("S(0)R", 2), parse_state("RP(product)", 2));
    ASSERT_EQ(optimal.needs.size(), 2u) << path_text(optimal.plan);
    EXPECT_EQ(optimal.needs.front(), StepNeeds::identity);
    EXPECT_GT(optimal.plan.total_cost, 0.0);
    EXPECT_EQ(plan_cost(optimal.plan, mesh, tensor, *times), optimal.plan.total_cost);
    EXPECT_TRUE(std::isinf(executed_cost(optimal.plan, mesh, tensor, *times)));
}

StepNeeds needs_of_one_step(const char* source, const char* target, Extents tensor_shape) {
    const DeviceMesh mesh{{2, 2}, {}};
    const auto times = fixed_times();
    OptimalPlanner planner(mesh, MeshTensor::of(std::move(tensor_shape), "float32"), *times);
    const OptimalPlan optimal = planner.plan(parse_state(source, 2), parse_state(target, 2));
    EXPECT_EQ(optimal.needs.size(), 1u) << path_text(optimal.plan);
    EXPECT_TRUE(optimal.plan.steps.front().flattened()) << path_text(optimal.plan);
    return optimal.needs.front();
}

TEST(OptimalPlanner, TellsWhatAMergedStepNeedsBeyondTorch) {
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "RR", {64, 48}), StepNeeds::nothing);
    EXPECT_EQ(needs_of_one_step("S(0)[1]S(0)[0]", "RR", {64, 48}), StepNeeds::block_order);
    // Seven rows are 2, 2, 2, 1, as flat chunks are; five are 2, 1, 1, 1.
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "RR", {7, 48}), StepNeeds::nothing);
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "RR", {5, 48}), StepNeeds::per_rank_sizes);
    EXPECT_EQ(needs_of_one_step("P(sum)P(sum)", "S(0)S(0)", {64, 48}), StepNeeds::nothing);
    EXPECT_EQ(needs_of_one_step("P(sum)P(sum)", "S(0)S(0)", {7, 48}), StepNeeds::per_rank_sizes);
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "S(1)S(1)", {64, 48}), StepNeeds::exchange);
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "S(1)S(1)", {7, 48}), StepNeeds::per_rank_sizes);
    EXPECT_EQ(needs_of_one_step("S(0)S(0)", "S(1)S(1)", {64, 7}), StepNeeds::per_rank_sizes);
    EXPECT_EQ(needs_of_one_step("S(0)[0]S(0)[1]", "S(0)[1]S(0)[0]", {64, 48}), StepNeeds::exchange);
    EXPECT_EQ(needs_of_one_step("S(0)[0]S(0)[1]", "S(0)[1]S(0)[0]", {7, 48}), StepNeeds::per_rank_sizes);
}

TEST(OptimalPlanner, ChargesForTheWayThatIsAsked) {
    const DeviceMesh mesh{{2, 4}, {}};
    const auto times = torch_times(mesh);
    OptimalPlanner planner(mesh, MeshTensor::of({64, 48}, "float32"), *times);
    EXPECT_GT(planner.cost(parse_state("S(0)S(0)", 2), parse_state("RR", 2)), 0.0);
    EXPECT_EQ(planner.cost(parse_state("RR", 2), parse_state("S(0)S(0)", 2)), 0.0);
}

TEST(OptimalPlanner, StopsInTheMiddleOfALongSearch) {
    const DeviceMesh mesh{{2, 2, 2, 2}, {}};
    const auto times = torch_times(mesh);
    OptimalPlanner planner(mesh, MeshTensor::of({64, 48, 32}, "float32"), *times);
    const ShardingState source = parse_state("S(0)S(0)S(1)S(1)", 4), target = parse_state("S(1)S(2)S(0)S(2)", 4);
    std::stop_source stop;
    EXPECT_GT(planner.plan(source, target, 0, stop.get_token()).plan.states_expanded, 256u);
    stop.request_stop();
    EXPECT_EQ(test::problem_of([&] { planner.plan(source, target, 0, stop.get_token()); }),
              "redistribution: planning was stopped");
}

// torch goes through a replicate: it gathers all, or reduces all.
TEST(PlanCosts, OfStridedShardsAreOfWhatTorchDoesInstead) {
    const DeviceMesh mesh{{2, 4}, {}};
    const MeshTensor tensor = MeshTensor::of({64, 48}, "float32");
    const auto times = torch_times(mesh);
    const int first = 0;
    const double gib = static_cast<double>(tensor.bytes()) / (1024.0 * 1024.0 * 1024.0);
    const auto cost = [&](const char* source, const char* target, StepKind kind) {
        RedistributionPlan plan{{parse_state(source, 2), parse_state(target, 2)}, {}};
        RedistributionStep& step = plan.steps.emplace_back();
        step.mesh_dims = {first};
        step.kind = kind;
        step.source = plan.states.front().placements[0];
        step.destination = plan.states.back().placements[0];
        return plan_cost(plan, mesh, tensor, *times);
    };
    EXPECT_EQ(cost("_S(0, 4)R", "S(1)R", StepKind::all_to_all),
              times->time(StepKind::all_gather, {&first, 1}, gib / 2));
    EXPECT_EQ(cost("_S(0, 4)R", "RR", StepKind::all_gather), times->time(StepKind::all_gather, {&first, 1}, gib / 2));
    EXPECT_EQ(cost("P(sum)R", "_S(0, 4)R", StepKind::reduce_scatter),
              times->time(StepKind::all_reduce, {&first, 1}, gib));
    EXPECT_EQ(cost("S(0)R", "S(1)R", StepKind::all_to_all), times->time(StepKind::all_to_all, {&first, 1}, gib / 2));
}

}  // namespace
}  // namespace overlap
