#include "core/mesh/sharding_state.h"

#include <gtest/gtest.h>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

const Placement replicate = Placement::replicate(), shard_0 = Placement::shard(0), shard_1 = Placement::shard(1);

/// What is wrong with a state of a tensor of two dimensions on a mesh of as many dimensions as the state has.
std::string problem(const ShardingState& state) {
    const DeviceMesh mesh{Extents(state.placements.size(), 2), {}};
    return problem_of([&] { validate_state(state, mesh, 2); });
}

}  // namespace

TEST(ShardingState, OrdersAreAscendingWhereNoneIsGiven) {
    const ShardOrder order =
        default_shard_order({shard_1, shard_0, replicate, shard_1, Placement::strided_shard(0, 2)});
    EXPECT_EQ(order, (ShardOrder{{0, {1, 4}}, {1, {0, 3}}}));
    EXPECT_EQ(mesh_dims_of(order, 1), (std::vector<int>{0, 3}));
    EXPECT_TRUE(mesh_dims_of(order, 2).empty());
    EXPECT_TRUE(is_default_order({{}, order}));
    EXPECT_FALSE(is_default_order({{}, {{0, {1, 4}}, {1, {3, 0}}}}));
}

TEST(ShardingState, SaysWhatIsWrongWithAnOrder) {
    EXPECT_EQ(problem({{shard_0, shard_0, shard_1}, {{0, {1, 0}}, {1, {2}}}}), "accepted");
    EXPECT_EQ(problem({{shard_0, replicate}, {{0, {}}}}), "state \"S(0)R\": the order of tensor dimension 0 is empty");
    EXPECT_EQ(problem({{shard_0, replicate}, {{0, {2}}}}),
              "state \"S(0)R\": the order of tensor dimension 0 names mesh dimension 2, the mesh has 2");
    EXPECT_EQ(problem({{shard_0, replicate}, {{0, {-1}}}}),
              "state \"S(0)R\": the order of tensor dimension 0 names mesh dimension -1, the mesh has 2");
    EXPECT_EQ(problem({{shard_0, shard_0}, {{0, {0, 0}}}}),
              "state \"S(0)S(0)\": the order names mesh dimension 0 twice");
    EXPECT_EQ(problem({{shard_0, replicate}, {{0, {0, 1}}}}),
              "state \"S(0)R\": the order of tensor dimension 0 names mesh dimension 1, which is R");
    EXPECT_EQ(problem({{shard_0, shard_1}, {{0, {0}}}}),
              "state \"S(0)S(1)\": the order of tensor dimension 1 lacks mesh dimension 1");
    const std::string ascending =
        "state \"S(0)S(1)\": the entries of an order name tensor dimensions in ascending order, each once";
    EXPECT_EQ(problem({{shard_0, shard_1}, {{1, {1}}, {0, {0}}}}), ascending);
    EXPECT_EQ(problem({{shard_0, shard_1}, {{0, {0}}, {0, {1}}}}), ascending);
    EXPECT_EQ(problem({{shard_0, shard_1}, {{-1, {0}}}}), ascending);
}

TEST(ShardingState, StridedShardsSayTheOrderThemselves) {
    EXPECT_EQ(problem({{Placement::strided_shard(0, 2), shard_0}, {}}), "accepted");
    EXPECT_TRUE(has_strided_shard({replicate, Placement::strided_shard(0, 2)}));
    EXPECT_FALSE(has_strided_shard({replicate, shard_0}));
}

TEST(ShardingState, SaysWhatItsMeshOrTensorLacks) {
    const DeviceMesh mesh{{2, 2}, {}};
    EXPECT_EQ(problem_of([&] { validate_state(state_in_default_order({replicate}), mesh, 2); }),
              "state \"R\": the mesh has 2 dimensions, the state 1 placement");
    EXPECT_EQ(problem(state_in_default_order({Placement::shard(2)})),
              "state \"S(2)\": S(2) cuts a dimension that the tensor does not have: it has 2");
    EXPECT_EQ(problem(state_in_default_order({Placement::shard(-1)})),
              "state \"S(-1)\": S(-1) cuts a dimension that the tensor does not have: it has 2");
}

TEST(ShardingState, OnlySumsAndAveragesAreMixed) {
    const Placement sum = Placement::partial(ReduceOp::sum), avg = Placement::partial(ReduceOp::avg);
    const Placement max = Placement::partial(ReduceOp::max), min = Placement::partial(ReduceOp::min);
    EXPECT_FALSE(mixes_reduce_ops({sum, avg, sum}));
    EXPECT_FALSE(mixes_reduce_ops({max, replicate, max}));
    EXPECT_FALSE(mixes_reduce_ops({replicate}));
    EXPECT_TRUE(mixes_reduce_ops({max, min}));
    EXPECT_TRUE(mixes_reduce_ops({sum, avg, max}));
    EXPECT_EQ(problem(state_in_default_order({sum, max})),
              "state \"P(sum)P(max)\": torch does not mix partial operations in one placement other than sum with avg");
}

}  // namespace overlap::test
