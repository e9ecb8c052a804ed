#include "core/trace/collective_alignment.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

constexpr std::int64_t us = test::TraceSketch::us;
using Traces = std::vector<std::shared_ptr<const MeasuredTrace>>;

TEST(AlignRanks, FindsTheClockThatLetsCollectivesEndTogether) {
    test::TraceSketch first, second;
    for (std::int64_t number = 0; number < 5; ++number) {
        const std::int64_t late_us = number == 2 ? 30 : 10;  // the second rank arrives later
        first.collective("allreduce", "0", 1000 * number, 100);
        second.collective("allreduce", "0", 1000 * number + late_us + 7000, 100 - late_us);
    }
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    EXPECT_EQ(aligned.ranks[0].clock_offset_ns, 0);
    EXPECT_EQ(aligned.ranks[1].clock_offset_ns, -7000 * us);
    EXPECT_EQ(aligned.ranks[1].spread_ns, 0);
    EXPECT_EQ(aligned.ranks[1].matched, 5u);
    EXPECT_EQ(aligned.ranks[1].arrived_last, 5u);
    EXPECT_EQ(aligned.ranks[1].awaited_ns, (4 * 10 + 30) * us);
    EXPECT_EQ(aligned.ranks[0].awaited_ns, 0);
    ASSERT_EQ(aligned.matches.size(), 5u);
    EXPECT_EQ(aligned.matches[2].waiting_ns(), 30 * us);
    EXPECT_EQ(aligned.matches[2].transfer_ns(), 70 * us);
    EXPECT_EQ(aligned.matches[2].last_rank, 1u);
    EXPECT_EQ(aligned.matches[2].kind, CollectiveKind::all_reduce);
    EXPECT_EQ(aligned.matches[2].group.name, "0");
}

TEST(AlignRanks, GoesBySequenceNumbersWhereTheyAre) {
    test::TraceSketch first, second;
    for (const std::int64_t number : {4, 5, 6}) first.collective("allgather", "0", 1000 * number, 100, 64, number);
    for (const std::int64_t number : {6, 7}) second.collective("allgather", "0", 1000 * number, 100, 64, number);
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    ASSERT_EQ(aligned.matches.size(), 1u);
    EXPECT_EQ(aligned.matches[0].sequence, 6);
    EXPECT_EQ(aligned.ranks[0].matched, 1u);
    EXPECT_EQ(aligned.ranks[0].unmatched, 2u);
    EXPECT_EQ(aligned.ranks[1].unmatched, 1u);
}

TEST(AlignRanks, CoalescedCollectivesMayShareASequenceNumber) {
    test::TraceSketch first, second;
    for (test::TraceSketch* sketch : {&first, &second}) {
        sketch->collective("allgather", "0", 0, 10, 64, 1);
        sketch->collective("allgather", "0", 20, 10, 128, 1);
    }
    EXPECT_EQ(align_ranks(Traces{first.finish(), second.finish()}).matches.size(), 2u);
}

TEST(AlignRanks, WithoutNumbersFindsWhichAreMissing) {
    // The second rank lost its first two collectives; sizes tell.
    test::TraceSketch first, second;
    for (std::int64_t number = 0; number < 6; ++number) {
        first.collective("allgather", "0", 1000 * number, 100, 100 + number);
        if (number >= 2) second.collective("allgather", "0", 1000 * number + 50'000, 100, 100 + number);
    }
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    EXPECT_EQ(aligned.matches.size(), 4u);
    EXPECT_EQ(aligned.ranks[1].clock_offset_ns, -50'000 * us);
    EXPECT_EQ(aligned.ranks[0].unmatched, 2u);
    EXPECT_EQ(aligned.ranks[1].unmatched, 0u);
}

TEST(AlignRanks, WhereAllAreAlikeTheClocksDecide) {
    test::TraceSketch first, second;
    for (std::int64_t number = 0; number < 6; ++number) {
        first.collective("allgather", "0", 1000 * number, 100);
        if (number >= 2) second.collective("allgather", "0", 1000 * number + 3, 100);
    }
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    EXPECT_EQ(aligned.ranks[1].clock_offset_ns, -3 * us);
    EXPECT_EQ(aligned.matches.front().sequence, 2);
}

TEST(AlignRanks, DoesNotMatchWhatDiffers) {
    test::TraceSketch first, second;
    first.collective("allgather", "0", 0, 100, 64, 1);
    second.collective("reduce_scatter", "0", 0, 100, 64, 1);
    first.collective("allgather", "0", 200, 100, 64, 2);
    second.collective("allgather", "0", 200, 100, 65, 2);
    first.collective("allgather", "fsdp", 400, 100, 64, 1);
    second.collective("allgather", "tp", 400, 100, 64, 1);
    first.collective("send", "0", 600, 100, 64, 3);
    second.collective("send", "0", 600, 100, 64, 3);
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    EXPECT_TRUE(aligned.matches.empty());
    EXPECT_FALSE(aligned.ranks[1].is_aligned);
    EXPECT_EQ(aligned.ranks[1].unmatched, 4u);
}

TEST(AlignRanks, ReachesRanksByWayOfOthers) {
    test::TraceSketch first, second, third;
    first.collective("allreduce", "a", 0, 100);
    second.collective("allreduce", "a", 1000, 100);
    second.collective("allreduce", "b", 2000, 100);
    third.collective("allreduce", "b", 5000, 100);
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish(), third.finish()});
    EXPECT_EQ(aligned.ranks[1].clock_offset_ns, -1000 * us);
    EXPECT_EQ(aligned.ranks[2].clock_offset_ns, -4000 * us);
    EXPECT_TRUE(aligned.ranks[2].is_aligned);
}

TEST(AlignRanks, EndWhenTheLastRankEnds) {
    test::TraceSketch first, second;
    first.collective("allgather", "0", 0, 100);
    second.collective("allgather", "0", 1000, 100);
    first.collective("allgather", "0", 200, 100);
    second.collective("allgather", "0", 1200, 130);
    first.collective("allgather", "0", 400, 140);
    second.collective("allgather", "0", 1400, 100);
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    ASSERT_EQ(aligned.ranks[1].clock_offset_ns, -1000 * us);
    ASSERT_EQ(aligned.matches.size(), 3u);
    EXPECT_EQ(aligned.matches[1].last_end_ns, 330 * us);
    EXPECT_EQ(aligned.matches[2].last_end_ns, 540 * us);
    EXPECT_EQ(aligned.matches[1].first_start_ns, 200 * us);
    EXPECT_EQ(aligned.ranks[1].spread_ns, 30 * us) << "the median of 0, 30 and 40";
}

TEST(AlignRanks, TryFourShiftsBeyondTheDifferenceInNumber) {
    // The second rank has as many collectives, but lacks the first ones and has later ones instead.
    const auto matched = [](std::int64_t lost) {
        test::TraceSketch first, second;
        for (std::int64_t number = 0; number < 8; ++number) {
            first.collective("allgather", "0", 1000 * number, 100, 100 + number);
            second.collective("allgather", "0", 1000 * number, 100, 100 + number + lost);
        }
        return align_ranks(Traces{first.finish(), second.finish()}).ranks[1].matched;
    };
    EXPECT_EQ(matched(4), 4u);
    EXPECT_EQ(matched(-4), 4u);
    EXPECT_EQ(matched(5), 0u);
    EXPECT_EQ(matched(-5), 0u);
}

TEST(AlignRanks, PutCollectivesInOrderOfTime) {
    test::TraceSketch first, second;
    for (const std::int64_t number : {2, 0, 1}) first.collective("allgather", "0", 1000 * number, 100, 100 + number);
    for (const std::int64_t number : {0, 1, 2}) second.collective("allgather", "0", 1000 * number, 100, 100 + number);
    const AlignedRanks aligned = align_ranks(Traces{first.finish(), second.finish()});
    ASSERT_EQ(aligned.matches.size(), 3u);
    EXPECT_EQ(aligned.matches[0].members[0].collective, 1u);
    EXPECT_EQ(aligned.matches[2].members[0].collective, 0u);
}

TEST(AlignRanks, AllToAllMayHaveAnotherSizeOnEachRank) {
    test::TraceSketch first, second;
    first.collective("all_to_all", "0", 0, 100, 64);
    second.collective("all_to_all", "0", 0, 100, 65);
    EXPECT_EQ(align_ranks(Traces{first.finish(), second.finish()}).matches.size(), 1u);
}

TEST(AlignRanks, OfOneRankIsTheRank) {
    test::TraceSketch only;
    only.collective("allreduce", "0", 0, 100);
    const AlignedRanks aligned = align_ranks(Traces{only.finish()});
    EXPECT_TRUE(aligned.ranks.at(0).is_aligned);
    EXPECT_TRUE(aligned.matches.empty());
    EXPECT_TRUE(align_ranks({}).ranks.empty());
}

}  // namespace
}  // namespace overlap
