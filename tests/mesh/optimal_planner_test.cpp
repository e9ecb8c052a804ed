#include "core/mesh/planners/optimal_planner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/mesh/sharding_text.h"

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

}  // namespace
}  // namespace overlap
