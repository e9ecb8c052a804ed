// The planner of our own: as cheap as an independent search says is possible, never dearer than what torch runs, and
// right on every rank.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/mesh/planners/optimal_planner.h"
#include "core/mesh/planners/torch_planners.h"
#include "tests/mesh/numeric_execution.h"
#include "tests/mesh/redistribution_goldens.h"

namespace overlap {
namespace {

using nlohmann::json;

constexpr OptimalPlannerOptions torch_edges{.merged_collectives = false, .permutations = false};
constexpr OptimalPlannerOptions merged_edges{.merged_collectives = true, .permutations = false};
/// The goldens' search prices every exchange over the mesh dimensions that change place.
constexpr OptimalPlannerOptions golden_edges{.moved_mesh_dims_suffice = true};

/// Sums that add the same costs in another order.
void expect_same_cost(double cost, const json& golden, const char* name) {
    const double expected = test::number_in(golden);
    if (std::isinf(expected)) {
        EXPECT_EQ(cost, expected) << name;
    } else {
        EXPECT_NEAR(cost, expected, 1e-9 * (1.0 + expected)) << name;
    }
}

void expect_exact_steps(const OptimalPlan& optimal, const DeviceMesh& mesh, const Extents& shape) {
    ASSERT_EQ(optimal.needs.size(), optimal.plan.steps.size());
    const test::ExecutionOutcome outcome = test::execute(optimal.plan, mesh, shape);
    EXPECT_EQ(outcome.problem, "") << path_text(optimal.plan) << ", step " << outcome.step;
}

/// A tensor that is quick to move and that nothing divides.
Extents uneven_shape(const MeshTensor& tensor) {
    const Extents sizes = {13, 7, 5, 3};
    return {sizes.begin(), sizes.begin() + tensor.dims()};
}

/// The least tensor that is divided evenly by exactly those of the plan's cuts that divide the given one evenly.
Extents least_shape(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor) {
    Extents shape;
    for (int tensor_dim = 0; tensor_dim < tensor.dims(); ++tensor_dim) {
        std::set<std::int64_t> ranks{1};
        for (std::size_t mesh_dim = 0; mesh_dim < mesh.shape.size(); ++mesh_dim) {
            const bool cuts = std::any_of(plan.states.begin(), plan.states.end(), [&](const ShardingState& state) {
                return state.placements[mesh_dim].cuts() && state.placements[mesh_dim].tensor_dim == tensor_dim;
            });
            if (!cuts) continue;
            for (const std::int64_t count : std::set(ranks)) ranks.insert(count * mesh.shape[mesh_dim]);
        }
        const std::int64_t size = tensor.shape[static_cast<std::size_t>(tensor_dim)];
        std::int64_t least = 1;
        while (std::any_of(ranks.begin(), ranks.end(),
                           [&](std::int64_t count) { return (least % count == 0) != (size % count == 0); }))
            ++least;
        shape.push_back(least);
    }
    return shape;
}

class ExtendedGoldens : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ExtendedGoldens, CostWhatAnIndependentSearchFound) {
    const test::RedistributionGoldens goldens = test::read_goldens(GetParam());
    ASSERT_FALSE(goldens.cases.empty());
    const DeviceMesh mesh = test::mesh_in(goldens.header);
    const MeshTensor tensor = test::tensor_in(goldens.header);
    const auto times = torch_times(mesh), fixed = fixed_times();
    GraphPlanner graph_planner(mesh, tensor, *times);
    OptimalPlanner single(mesh, tensor, *times, torch_edges), merged(mesh, tensor, *times, merged_edges);
    OptimalPlanner permuting(mesh, tensor, *times, golden_edges), optimal(mesh, tensor, *times);
    OptimalPlanner single_fixed(mesh, tensor, *fixed, torch_edges), merged_fixed(mesh, tensor, *fixed, merged_edges);
    for (const json& golden : goldens.cases) {
        SCOPED_TRACE(golden.at("id").get<std::string>());
        const ShardingState source = test::state_in(golden.at("src")), target = test::state_in(golden.at("dst"));
        const auto expect = [&](double cost, const char* name) { expect_same_cost(cost, golden.at(name), name); };
        const auto executed = [&](const RedistributionPlan& plan) {
            return executed_cost(flatten_consecutive_steps(plan, mesh), mesh, tensor, *times);
        };
        const RedistributionPlan graph = graph_planner.plan(source, target);
        expect(graph.total_cost, "torch_graph");
        expect(executed(graph), "torch_graph_posthoc_flattened");
        expect(executed(default_plan(source, target, mesh, tensor, graph_planner, *times)), "torch_default_executed");
        expect(single.cost(source, target), "optimum_torch_edges");
        expect(merged.cost(source, target), "optimum_flat");
        expect(permuting.cost(source, target), "optimum_flat_permute");
        // What can be done lies between that lower bound and no exchanges at all.
        EXPECT_GE(optimal.cost(source, target), permuting.cost(source, target));
        EXPECT_LE(optimal.cost(source, target), merged.cost(source, target));
        expect(single_fixed.cost(source, target), "optimum_fixed_torch_edges");
        expect(merged_fixed.cost(source, target), "optimum_fixed_flat");
    }
}

INSTANTIATE_TEST_SUITE_P(Files, ExtendedGoldens, testing::ValuesIn(test::golden_files_with("optimum_flat")),
                         [](const auto& file) { return test::test_name(file.param); });

TEST(NamedCases, CostWhatAnIndependentSearchFound) {
    for (const auto& file : test::golden_files_with("extended"))
        for (const json& golden : test::read_goldens(file).cases) {
            SCOPED_TRACE(golden.at("id").get<std::string>());
            const DeviceMesh mesh = test::mesh_in(golden);
            const MeshTensor tensor = test::tensor_in(golden);
            const ShardingState source = test::state_in(golden.at("src")), target = test::state_in(golden.at("dst"));
            const auto times = torch_times(mesh), fixed = fixed_times();
            const auto expect = [&](const CollectiveTimes& model, OptimalPlannerOptions options, const char* name) {
                const OptimalPlan optimal = OptimalPlanner(mesh, tensor, model, options).plan(source, target);
                expect_same_cost(optimal.plan.total_cost, golden.at("extended").at(name).at("total_cost"), name);
                expect_exact_steps(optimal, mesh, tensor.shape);
            };
            expect(*times, merged_edges, "flat_torch");
            expect(*fixed, merged_edges, "flat_fixed");
            expect(*times, golden_edges, "flat_permute_torch");
            expect(*fixed, golden_edges, "flat_permute_fixed");
        }
}

class OptimalPlans : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OptimalPlans, AreNeverDearerThanTorchsAndRightOnEveryRank) {
    const test::RedistributionGoldens goldens = test::read_goldens(GetParam());
    const bool one_mesh = goldens.header.contains("mesh_shape");
    std::set<std::string> executed_paths, executed_uneven_paths;
    for (const json& golden : goldens.cases) {
        SCOPED_TRACE(golden.at("id").get<std::string>());
        const json& described = one_mesh ? goldens.header : golden;
        const DeviceMesh mesh = test::mesh_in(described);
        const MeshTensor tensor = test::tensor_in(described);
        const ShardingState source = test::state_in(golden.at("src")), target = test::state_in(golden.at("dst"));
        const auto times = torch_times(mesh);
        GraphPlanner graph_planner(mesh, tensor, *times);
        OptimalPlanner planner(mesh, tensor, *times);

        const OptimalPlan optimal = planner.plan(source, target);
        EXPECT_EQ(optimal.plan.total_cost, planner.cost(source, target));
        EXPECT_NEAR(plan_cost(optimal.plan, mesh, tensor, *times), optimal.plan.total_cost, 1e-9);
        EXPECT_EQ(optimal.plan.states.front(), source);
        EXPECT_EQ(optimal.plan.states.back(), target);
        for (const RedistributionPlan& torch :
             {graph_planner.plan(source, target), default_plan(source, target, mesh, tensor, graph_planner, *times)})
            for (const RedistributionPlan& run : {torch, flatten_consecutive_steps(torch, mesh)})
                EXPECT_LE(optimal.plan.total_cost, executed_cost(run, mesh, tensor, *times) * (1.0 + 1e-12))
                    << path_text(optimal.plan) << " instead of " << path_text(run);
        if (executed_paths.insert(path_text(optimal.plan)).second)
            expect_exact_steps(optimal, mesh, least_shape(optimal.plan, mesh, tensor));
        const MeshTensor uneven = MeshTensor::of(uneven_shape(tensor), tensor.dtype);
        const OptimalPlan for_uneven = OptimalPlanner(mesh, uneven, *times).plan(source, target);
        if (executed_uneven_paths.insert(path_text(for_uneven.plan)).second)
            expect_exact_steps(for_uneven, mesh, uneven.shape);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, OptimalPlans, testing::ValuesIn(test::golden_files_with("plans")),
                         [](const auto& file) { return test::test_name(file.param); });

}  // namespace
}  // namespace overlap
