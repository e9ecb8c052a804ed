#include "core/run/group_placement.h"

#include <gtest/gtest.h>

namespace overlap::test {
namespace {

ProcessGroup group_of(std::vector<int> ranks) {
    ProcessGroup group;
    group.name.append("sharded");
    group.ranks = std::move(ranks);
    return group;
}

using Members = std::vector<int>;

TEST(GroupPlacement, WithAllRanksOfTheJobEachGroupIsWhatItIsThere) {
    // A mesh of 2 x 4: tensor parallel in blocks of four, sharded at a distance of four.
    for (int rank = 0; rank < 8; ++rank) {
        const GroupPlacement tensor_parallel = place_group(group_of({0, 1, 2, 3}), 8, 8, rank);
        EXPECT_TRUE(tensor_parallel.real);
        EXPECT_EQ(tensor_parallel.reason, "as in the job");
        const int first = rank / 4 * 4;
        EXPECT_EQ(tensor_parallel.members, (Members{first, first + 1, first + 2, first + 3}));
        const GroupPlacement sharded = place_group(group_of({0, 4}), 8, 8, rank);
        EXPECT_TRUE(sharded.real);
        EXPECT_EQ(sharded.members, (Members{rank % 4, rank % 4 + 4}));
    }
}

TEST(GroupPlacement, TheGroupOfTheFilesOwnRankComesOutAsItStandsThere) {
    EXPECT_EQ(place_group(group_of({1, 3}), 4, 4, 3).members, (Members{1, 3}));
    EXPECT_EQ(place_group(group_of({1, 3}), 4, 4, 0).members, (Members{0, 2}));
}

TEST(GroupPlacement, GroupsAtUnequalDistancesAreNotGuessed) {
    const GroupPlacement placement = place_group(group_of({0, 1, 3}), 6, 6, 0);
    EXPECT_FALSE(placement.real);
    EXPECT_NE(placement.reason.find("equal distances"), std::string::npos);
    // All ranks in an order of their own are one group whatever the distances.
    const GroupPlacement all = place_group(group_of({2, 0, 1}), 3, 3, 1);
    EXPECT_EQ(all.members, (Members{2, 0, 1}));
    EXPECT_EQ(all.reason, "as in the job");
}

TEST(GroupPlacement, ABlockThatDoesNotStartWhereBlocksDoIsNotRepeated) {
    EXPECT_FALSE(place_group(group_of({1, 2}), 4, 4, 0).real);
}

TEST(GroupPlacement, FewerRanksPlayTheGroupsThatFit) {
    const GroupPlacement pair = place_group(group_of({0, 32}), 64, 4, 3);
    EXPECT_TRUE(pair.real);
    EXPECT_EQ(pair.reason, "on neighbouring ranks");
    EXPECT_EQ(pair.members, (Members{2, 3}));
    const GroupPlacement large = place_group(group_of({0, 1, 2, 3, 4, 5, 6, 7}), 64, 4, 3);
    EXPECT_FALSE(large.real);
    EXPECT_EQ(large.reason, "it has 8 ranks, and 4 are attached");
    EXPECT_FALSE(place_group(group_of({0, 1, 2}), 64, 4, 0).real) << "three do not divide four";
}

TEST(GroupPlacement, OneRankEmulatesAllButGroupsOfItself) {
    EXPECT_FALSE(place_group(group_of({0, 1}), 2, 1, 0).real);
    EXPECT_TRUE(place_group(group_of({5}), 8, 1, 0).real);
}

}  // namespace
}  // namespace overlap::test
