// The executor with numbers must itself notice what is wrong: it is what vouches for plans.

#include "tests/mesh/numeric_execution.h"

#include <gtest/gtest.h>

#include "core/mesh/sharding_text.h"
#include "tests/mesh/sharded_numbers.h"

namespace overlap {
namespace {

using test::execute;
using test::MergedParts;

DeviceMesh mesh_of(Extents shape) {
    return {std::move(shape), {}, 8};
}

/// A plan of one step on a mesh of two dimensions, whatever it is good for.
RedistributionPlan one_step(std::string_view source, std::string_view target, std::vector<int> mesh_dims,
                            StepKind kind) {
    RedistributionPlan plan;
    plan.states = {parse_state(source, 2), parse_state(target, 2)};
    const auto changed = static_cast<std::size_t>(mesh_dims.front());
    plan.steps = {{std::move(mesh_dims),
                   plan.states[0].placements[changed],
                   plan.states[1].placements[changed],
                   kind,
                   {},
                   0.0,
                   1}};
    return plan;
}

TEST(NumericExecution, ReducesWhatItDistributes) {
    const DeviceMesh mesh = mesh_of({3, 2, 4});
    const test::ShardedNumbers numbers(mesh, {7, 5});
    for (const char* text : {"P(sum)P(avg)P(sum)", "P(min)S(0)P(min)", "P(max)RP(max)", "S(1)P(product)P(product)",
                             "P(band)P(band)S(0)", "P(bor)P(bor)P(bor)", "RP(bxor)P(bxor)", "_S(0, 2)S(1)P(avg)"}) {
        const ShardingState state = parse_state(text, 3);
        const std::vector<test::LocalTensor> locals = numbers.distribute(state);
        EXPECT_EQ(numbers.first_wrong_rank(state, locals), "") << text;
        std::vector<test::LocalTensor> damaged = locals;
        for (test::LocalTensor& local : damaged) local.values[0] += mesh.rank_count();
        EXPECT_NE(numbers.first_wrong_rank(state, damaged), "") << text;
    }
}

TEST(NumericExecution, GathersUnevenNestedShards) {
    const DeviceMesh mesh = mesh_of({2, 2});
    RedistributionPlan plan = one_step("S(0)S(0)", "RR", {0, 1}, StepKind::all_gather);
    EXPECT_EQ(execute(plan, mesh, {5}).problem, "");
    // 5 over (2, 2) is 2, 1, 1, 1; torch's executor takes it for 2, 2, 1, 0.
    EXPECT_EQ(execute(plan, mesh, {5}, MergedParts::flat_chunks).problem, "rank 0 in RR holds other numbers");
    EXPECT_EQ(execute(plan, mesh, {7}, MergedParts::flat_chunks).problem, "");
}

TEST(NumericExecution, GathersInTheOrderOfTheState) {
    const RedistributionPlan plan = one_step("S(0)[1]S(0)[0]", "RR", {0, 1}, StepKind::all_gather);
    EXPECT_EQ(execute(plan, mesh_of({2, 3}), {6, 2}).problem, "");
    EXPECT_NE(execute(plan, mesh_of({2, 3}), {6, 2}, MergedParts::flat_chunks).problem, "");
}

TEST(NumericExecution, RefusesToMoveAnOuterMeshDimension) {
    const DeviceMesh mesh = mesh_of({2, 2});
    EXPECT_NE(execute(one_step("S(0)[0]S(0)[1]", "RS(0)", {0}, StepKind::all_gather), mesh, {8}).problem, "");
    EXPECT_EQ(execute(one_step("S(0)[1]S(0)[0]", "RS(0)", {0}, StepKind::all_gather), mesh, {8}).problem, "");
    EXPECT_NE(execute(one_step("RS(0)", "S(0)[0]S(0)[1]", {0}, StepKind::chunk), mesh, {8}).problem, "");
}

TEST(NumericExecution, ExchangesWithinTheGroupOnly) {
    const DeviceMesh mesh = mesh_of({2, 4});
    const RedistributionPlan both = one_step("S(0)[0]S(0)[1]", "S(0)[1]S(0)[0]", {0, 1}, StepKind::permute);
    EXPECT_EQ(execute(both, mesh, {13, 2}).problem, "");
    const RedistributionPlan one = one_step("S(0)[0]S(0)[1]", "S(0)[1]S(0)[0]", {0}, StepKind::permute);
    EXPECT_EQ(execute(one, mesh, {13, 2}).problem, "an exchange needs data that no rank of its group holds");
}

TEST(NumericExecution, KnowsStridedShards) {
    const DeviceMesh mesh = mesh_of({2, 3});
    EXPECT_EQ(execute(one_step("R_S(0, 2)", "RR", {1}, StepKind::all_gather), mesh, {13, 2}).problem, "");
    EXPECT_EQ(execute(one_step("RR", "R_S(0, 4)", {1}, StepKind::chunk), mesh, {13, 2}).problem, "");
    EXPECT_NE(execute(one_step("RR", "R_S(0, 4)", {1}, StepKind::all_gather), mesh, {13, 2}).problem, "");
}

TEST(NumericExecution, MovesPartialValues) {
    const DeviceMesh mesh = mesh_of({2, 3});
    EXPECT_EQ(execute(one_step("P(avg)P(avg)", "P(avg)S(1)", {1}, StepKind::reduce_scatter), mesh, {4, 5}).problem, "");
    EXPECT_EQ(execute(one_step("P(bxor)P(bxor)", "RR", {0, 1}, StepKind::all_reduce), mesh, {4, 5}).problem, "");
    EXPECT_EQ(execute(one_step("RP(sum)", "P(sum)P(sum)", {0}, StepKind::partition), mesh, {4, 5}).problem, "");
    EXPECT_EQ(execute(one_step("S(0)S(0)", "S(0)P(sum)", {1}, StepKind::embed_zero), mesh, {4, 5}).problem, "");
    for (const char* target : {"P(product)R", "P(band)R", "P(bor)R", "P(bxor)R"})
        EXPECT_EQ(execute(one_step("RR", target, {0}, StepKind::partition), mesh, {4, 5}).problem, "") << target;
    RedistributionPlan merged = one_step("P(sum)P(avg)", "RR", {0, 1}, StepKind::all_reduce);
    EXPECT_NE(execute(merged, mesh, {4, 5}).problem, "");
    merged.steps[0].average_over = 3;
    EXPECT_EQ(execute(merged, mesh, {4, 5}).problem, "");
}

}  // namespace
}  // namespace overlap
