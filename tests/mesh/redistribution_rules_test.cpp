// What steps of a plan are, and what torch's executor makes of them.

#include <gtest/gtest.h>

#include "core/mesh/exchange_group.h"
#include "core/mesh/reachable_sizes.h"
#include "core/mesh/redistribution.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"

namespace overlap::test {

namespace {

StepKind kind(const char* source, const char* destination) {
    return step_kind(parse_placement(source), parse_placement(destination));
}

RedistributionPlan one_step(const char* source, const char* target, std::vector<int> mesh_dims, const char* from,
                            const char* to) {
    const auto dims = static_cast<int>(mesh_dims.size());
    RedistributionPlan plan{{parse_state(source, dims), parse_state(target, dims)}, {}};
    RedistributionStep step;
    step.mesh_dims = std::move(mesh_dims);
    step.source = parse_placement(from);
    step.destination = parse_placement(to);
    step.kind = step_kind(step.source, step.destination);
    plan.steps.push_back(std::move(step));
    return plan;
}

}  // namespace

TEST(StepKinds, FollowFromTheTwoPlacements) {
    EXPECT_EQ(kind("S(0)", "R"), StepKind::all_gather);
    EXPECT_EQ(kind("_S(0, 2)", "R"), StepKind::all_gather);
    EXPECT_EQ(kind("P(max)", "R"), StepKind::all_reduce);
    EXPECT_EQ(kind("P(sum)", "S(1)"), StepKind::reduce_scatter);
    EXPECT_EQ(kind("S(0)", "S(1)"), StepKind::all_to_all);
    EXPECT_EQ(kind("R", "S(1)"), StepKind::chunk);
    EXPECT_EQ(kind("R", "P(avg)"), StepKind::partition);
    EXPECT_EQ(kind("S(0)", "P(sum)"), StepKind::embed_zero);
    EXPECT_EQ(kind("S(0)", "P(max)"), StepKind::unsupported);
    EXPECT_EQ(kind("_S(0, 2)", "P(sum)"), StepKind::unsupported);
    EXPECT_EQ(kind("P(sum)", "P(avg)"), StepKind::unsupported);
}

TEST(StepKinds, SomeSendData) {
    for (const StepKind sends : {StepKind::all_gather, StepKind::all_to_all, StepKind::all_reduce,
                                 StepKind::reduce_scatter, StepKind::permute})
        EXPECT_TRUE(communicates(sends)) << to_text(sends);
    for (const StepKind silent : {StepKind::chunk, StepKind::partition, StepKind::embed_zero, StepKind::unsupported})
        EXPECT_FALSE(communicates(silent)) << to_text(silent);
}

TEST(ExecutionErrors, NameTheChangeAndItsMeshDimensions) {
    EXPECT_EQ(execution_error(one_step("S(0)", "P(max)", {0}, "S(0)", "P(max)")),
              "PyTorch cannot execute S(0) to P(max) on mesh dimension 0");
    EXPECT_EQ(execution_error(one_step("R", "P(product)", {0}, "R", "P(product)")),
              "PyTorch cannot split a value into parts whose product it is (R to P(product) on mesh dimension 0)");
    EXPECT_EQ(execution_error(one_step("_S(0, 2)_S(0, 2)", "RR", {0, 1}, "_S(0, 2)", "R")),
              "PyTorch merges the gathers of mesh dimensions 0, 1 and then asserts that strided shards are not merged");
    EXPECT_EQ(execution_error(one_step("_S(0, 2)", "R", {0}, "_S(0, 2)", "R")), "");
    for (const char* op : {"P(sum)", "P(avg)", "P(min)", "P(max)"})
        EXPECT_EQ(execution_error(one_step("R", op, {0}, "R", op)), "") << op;
    for (const ReduceOp op : {ReduceOp::product, ReduceOp::band, ReduceOp::bor, ReduceOp::bxor})
        EXPECT_FALSE(can_be_partitioned(op)) << to_text(op);
}

TEST(Paths, HaveALongArrowForAMergedStep) {
    RedistributionPlan plan = one_step("S(0)[1]S(0)[0]", "RR", {0, 1}, "S(0)", "R");
    plan.steps.push_back(one_step("R", "S(1)", {0}, "R", "S(1)").steps.front());
    plan.states.push_back(parse_state("S(1)R", 2));
    EXPECT_EQ(path_text(plan), "S(0)[1]S(0)[0]-->RR->S(1)R");
}

TEST(MergedSteps, DivideBySumsOfAveragedRanks) {
    const DeviceMesh mesh{{2, 3, 5}, {}};
    const ShardingState before = parse_state("P(avg)P(sum)P(avg)", 3);
    RedistributionStep step;
    step.mesh_dims = {0, 1};
    step.source = Placement::partial(ReduceOp::avg);
    describe_merged_step(step, before, mesh, {30}, {0, 0, 0});
    EXPECT_EQ(step.average_over, 2);
    EXPECT_EQ(step.source, Placement::partial(ReduceOp::sum));
    step = {};
    step.mesh_dims = {0, 2};
    step.source = Placement::partial(ReduceOp::avg);
    describe_merged_step(step, before, mesh, {30}, {0, 0, 0});
    EXPECT_EQ(step.average_over, 10);
}

TEST(MergedSteps, SeeTheShapeThatTheirOwnCutsHaveNotReached) {
    const DeviceMesh mesh{{2, 3, 5}, {}};
    RedistributionStep step;
    step.mesh_dims = {1, 2};
    step.source = Placement::shard(0);
    describe_merged_step(step, parse_state("S(0)S(0)S(0)", 3), mesh, {60, 7}, {0, 0, 0});
    EXPECT_EQ(step.logical_shape, (Extents{30, 7}));
    EXPECT_EQ(step.average_over, 1);
    EXPECT_EQ(step.source, Placement::shard(0));
}

TEST(Chunks, AreFullButForTheLastOnes) {
    EXPECT_EQ(chunk_of({0, 10}, 4, 0), (IndexRange{0, 3}));
    EXPECT_EQ(chunk_of({0, 10}, 4, 3), (IndexRange{9, 10}));
    EXPECT_EQ(chunk_of({20, 25}, 4, 3), (IndexRange{25, 25}));
    EXPECT_EQ(chunk_of({0, 8}, 4, 1), (IndexRange{2, 4}));
}

TEST(ReachableSizes, AreThoseOfFullShorterAndEmptyParts) {
    const DeviceMesh mesh{{4, 2}, {}};
    EXPECT_EQ(reachable_sizes(10, {}, mesh), (std::vector<std::int64_t>{10}));
    EXPECT_EQ(reachable_sizes(8, {0}, mesh), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(reachable_sizes(10, {0}, mesh), (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(reachable_sizes(5, {0}, mesh), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(reachable_sizes(0, {0}, mesh), (std::vector<std::int64_t>{0}));
    EXPECT_EQ(reachable_sizes(10, {0, 1}, mesh), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(ranks_of({0, 1}, mesh), 8);
}

// Eleven rows over 2 and 3 are 2, 2, 2 and 2, 2, 1 either way; ten are 2, 2, 1 twice, and at once five times 2.
TEST(NestedParts, MayBeFlatChunksWhereRowsDoNotDivide) {
    EXPECT_TRUE(nested_parts_are_flat(12, {0, 1}, DeviceMesh{{2, 3}, {}}));
    EXPECT_TRUE(nested_parts_are_flat(11, {0, 1}, DeviceMesh{{2, 3}, {}}));
    EXPECT_FALSE(nested_parts_are_flat(10, {0, 1}, DeviceMesh{{2, 3}, {}}));
    EXPECT_TRUE(nested_parts_are_flat(7, {0, 1}, DeviceMesh{{2, 2}, {}}));
    EXPECT_FALSE(nested_parts_are_flat(5, {0, 1}, DeviceMesh{{2, 2}, {}}));
    EXPECT_TRUE(nested_parts_are_flat(1, {0, 1}, DeviceMesh{{2, 2}, {}}));
    // Six times 4, then 1, then nothing: the last of the outer parts is empty.
    EXPECT_TRUE(nested_parts_are_flat(25, {0, 1}, DeviceMesh{{8, 2}, {}}));
    EXPECT_TRUE(nested_parts_are_flat(28, {0, 1}, DeviceMesh{{8, 2}, {}}));
    EXPECT_FALSE(nested_parts_are_flat(5, {0, 1, 2}, DeviceMesh{{1, 2, 2}, {}}));
    // Seven times 8 are 2, 2, 2, 2, as flat chunks are. The 2 rows left are 1, 0, 1, 0, and at once 2, 0, 0, 0.
    EXPECT_FALSE(nested_parts_are_flat(58, {0, 1, 2}, DeviceMesh{{8, 2, 2}, {}}));
}

TEST(WrongGathers, AreMergedOnesOfNestedPartsThatAreNoFlatChunks) {
    const DeviceMesh mesh{{2, 2}, {}};
    const RedistributionPlan merged = one_step("S(0)S(0)", "RR", {0, 1}, "S(0)", "R");
    std::size_t step = 7;
    EXPECT_FALSE(gathers_wrong_data(merged, mesh, {8}, &step));
    EXPECT_EQ(step, 7u);
    // Six rows: 2, 1, 2, 1 where flat chunks are 2, 2, 2, 0.
    EXPECT_TRUE(gathers_wrong_data(merged, mesh, {6}, &step));
    EXPECT_EQ(step, 0u);
    EXPECT_TRUE(gathers_wrong_data(merged, mesh, {6}));
    EXPECT_FALSE(gathers_wrong_data(one_step("S(0)", "R", {0}, "S(0)", "R"), DeviceMesh{{2}, {}}, {5}));
    EXPECT_FALSE(gathers_wrong_data(one_step("P(sum)P(sum)", "RR", {0, 1}, "P(sum)", "R"), mesh, {6}));
    EXPECT_FALSE(gathers_wrong_data(one_step("S(0)S(0)", "S(1)S(1)", {0, 1}, "S(0)", "S(1)"), mesh, {6, 8}));
    // What is refused gathers nothing.
    EXPECT_FALSE(gathers_wrong_data(one_step("_S(0, 2)_S(0, 2)", "RR", {0, 1}, "_S(0, 2)", "R"), mesh, {6}));
}

TEST(MovedMeshDims, HaveAnotherPlace) {
    EXPECT_EQ(moved_mesh_dims({0, 1, 2}, {0, 2, 1}), 0b110u);
    EXPECT_EQ(moved_mesh_dims({0, 1, 2}, {0, 1, 2}), 0u);
}

TEST(ExchangeGroups, LeaveOutWhatLiesAsFarApartAsBefore) {
    // In both orders the blocks of mesh dimension 1 lie two apart.
    EXPECT_EQ(exchange_group(8, {0, 1, 2}, {2, 1, 0}, {2, 2, 2}), 0b101u);
    EXPECT_EQ(exchange_group(8, {0, 1}, {0, 1}, {2, 4}), 0u);
    EXPECT_EQ(exchange_group(4, {0, 1}, {1, 0}, {1, 4}), 0b01u);  // one rank changes place, and nothing is sent
    EXPECT_EQ(exchange_group(16, {0, 1, 2}, {1, 0, 2}, {2, 4, 2}), 0b011u);
    EXPECT_EQ(exchange_group(17, {0, 1, 2}, {1, 0, 2}, {2, 4, 2}), 0b111u);
    // Nine rows are not divided by eight: from the first place on that another number of ranks has, all exchange.
    EXPECT_EQ(exchange_group(9, {0, 1, 2}, {1, 0, 2}, {2, 4, 1}), 0b111u);
    // The first place counts too, even where it is a single rank's that has come before the others.
    EXPECT_EQ(exchange_group(25, {0, 1, 2, 3, 4}, {2, 0, 1, 4, 3}, {2, 2, 1, 2, 3}), 0b11111u);
}

}  // namespace overlap::test
