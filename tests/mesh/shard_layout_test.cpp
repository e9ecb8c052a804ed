// What a rank holds of a tensor, where strided shards cut it.

#include "core/mesh/shard_layout.h"

#include <gtest/gtest.h>

namespace overlap::test {

namespace {

std::vector<DimensionPart> parts(std::vector<Placement> placements, Extents mesh_shape, Extents tensor, Extents rank) {
    return local_parts(state_in_default_order(std::move(placements)), {std::move(mesh_shape), {}}, tensor, rank);
}

const Placement halves = Placement::strided_shard(0, 2);

}  // namespace

TEST(LocalParts, OfAStridedShardAreOneOfEachSplit) {
    EXPECT_EQ(parts({halves}, {2}, {12, 3}, {0}), (std::vector<DimensionPart>{{{0, 3}, {6, 9}}, {{0, 3}}}));
    EXPECT_EQ(parts({halves}, {2}, {12, 3}, {1}), (std::vector<DimensionPart>{{{3, 6}, {9, 12}}, {{0, 3}}}));
    const Placement rows = Placement::strided_shard(0, 3);
    EXPECT_EQ(parts({rows}, {2}, {3}, {0}), (std::vector<DimensionPart>{{{0, 1}, {1, 2}, {2, 3}}}));
}

// Of rows 3 to 5 and 9 to 11 the second of three ranks has the third and the fourth.
TEST(LocalParts, AreCutAcrossTheirRanges) {
    EXPECT_EQ(parts({halves, Placement::shard(0)}, {2, 3}, {12}, {1, 1}),
              (std::vector<DimensionPart>{{{5, 6}, {9, 10}}}));
}

TEST(LocalParts, ThatAreEmptyKeepThePlaceWhereTheyWouldBegin) {
    EXPECT_EQ(parts({halves}, {2}, {2}, {1}), (std::vector<DimensionPart>{{{1, 1}}}));
    EXPECT_EQ(parts({Placement::shard(0)}, {4}, {2}, {3}), (std::vector<DimensionPart>{{{2, 2}}}));
}

TEST(LocalShapes, CountAllSplitsOfAStridedShard) {
    const ShardingState state = state_in_default_order({halves});
    EXPECT_EQ(local_shape(state, {{4}, {}}, {10}, {0}), (Extents{4}));
    EXPECT_EQ(local_shape(state, {{4}, {}}, {10}, {3}), (Extents{0}));
    EXPECT_EQ(logical_shape(state, {{4}, {}}, {10}, 0, {0}), (Extents{10}));
}

}  // namespace overlap::test
