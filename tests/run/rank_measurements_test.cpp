#include "core/run/rank_measurements.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// A gather over all of four ranks and a reduction over pairs.
Program two_collectives() {
    GraphSketch sketch;
    sketch.header().world_size = 4;
    sketch.group("pair", 2, 0.02, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    sketch.gather("gather", x, 1);
    sketch.reduce("reduce", x, 1, "pair");
    return make_program(sketch.finish());
}

std::vector<GroupPlacement> placements_of(const Program& program, int rank) {
    std::vector<GroupPlacement> placements;
    for (const ProcessGroup& group : program.groups) placements.push_back(place_group(group, 4, 4, rank));
    return placements;
}

/// Three recorded steps; in the second rank 3 comes late to the gather, in all of them rank 1 to the reduction.
std::vector<RankMeasurement> measured() {
    return {{{10, 12}, {{2, 7, 2.5}, {4, 5, 6}}},
            {{10, 13}, {{2.25, 7.5, 2}, {1, 1.5, 2}}},
            {{11, 12}, {{2, 8, 2}, {0.125, 0.125, 0.125}}},
            {{10, 12}, {{2.5, 3, 2.75}, {0.25, 0.25, 0.25}}}};
}

TEST(RankMeasurements, ACollectiveTakesWhatItTakesTheRankThatCameLast) {
    const Program program = two_collectives();
    const auto aligned = align_collectives(program, placements_of(program, 0), measured(), 0);
    ASSERT_EQ(aligned.size(), 2u);
    EXPECT_EQ(aligned[0].collective, 0u);
    EXPECT_DOUBLE_EQ(aligned[0].own_ms, 2) << "of 2, 3 and 2";
    EXPECT_DOUBLE_EQ(aligned[0].own_minimum_ms, 2);
    EXPECT_DOUBLE_EQ(aligned[0].own_maximum_ms, 3);
    EXPECT_DOUBLE_EQ(aligned[0].late_peers_ms, 0.5) << "of 0, 4 and 0.5";
}

TEST(RankMeasurements, OnlyRanksOfTheSameGroupAreCompared) {
    const Program program = two_collectives();
    const auto aligned = align_collectives(program, placements_of(program, 0), measured(), 0);
    EXPECT_DOUBLE_EQ(aligned.at(1).own_ms, 1.5) << "ranks 2 and 3 are another pair";
    EXPECT_DOUBLE_EQ(aligned.at(1).late_peers_ms, 3.5);
    const auto seen_by_two = align_collectives(program, placements_of(program, 2), measured(), 2);
    EXPECT_DOUBLE_EQ(seen_by_two.at(1).own_ms, 0.125);
    EXPECT_DOUBLE_EQ(seen_by_two.at(1).late_peers_ms, 0);
}

TEST(RankMeasurements, EmulatedGroupsAndThoseOfOneRankHaveNobodyToWaitFor) {
    const Program program = two_collectives();
    std::vector<GroupPlacement> placements = placements_of(program, 0);
    placements[0].real = false;
    placements[1].members = {0};
    EXPECT_TRUE(align_collectives(program, placements, measured(), 0).empty());
}

TEST(RankMeasurements, ARankThatRecordedOtherStepsIsNotAligned) {
    const Program program = two_collectives();
    std::vector<RankMeasurement> ranks = measured();
    ranks[3].collective_ms[0].pop_back();
    ranks[1].collective_ms.clear();
    EXPECT_TRUE(align_collectives(program, placements_of(program, 0), ranks, 0).empty());
}

TEST(RankMeasurements, TravelAsTextToTheLastDigit) {
    RankMeasurement sent;
    sent.step_ms = {0.1, 1.0 / 3, 12345.678901234567};
    sent.collective_ms = {{}, {1e-300, 2}};
    sent.exposed_ms = {0.7};
    sent.node_ms = {{3, 0.1}, {4'000'000'000u, 2}};
    const RankMeasurement received = read_measurement(measurement_text(sent));
    EXPECT_EQ(received.step_ms, sent.step_ms);
    EXPECT_EQ(received.collective_ms, sent.collective_ms);
    EXPECT_EQ(received.exposed_ms, sent.exposed_ms);
    EXPECT_EQ(received.node_ms, sent.node_ms);
    EXPECT_EQ(read_measurement(measurement_text({})).collective_ms.size(), 0u);
    for (const char* text : {"", "1 ", "1\n", "x \n", "1  \n"})
        EXPECT_THROW(read_measurement(text), InputError) << text;
}

TEST(RankMeasurements, ComeFromWhatARankHasRecorded) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered = sketch.gather("gather", x, 1);
    const Graph graph = sketch.finish();
    const Program program = make_program(graph);
    MeasuredRun run(graph, program);
    run.add_step({{gathered, 0, 2'000'000, 1}});
    run.add_step({{gathered, 0, 3'000'000, 1}});
    const RankMeasurement measurement = rank_measurement(program, run, {5});
    EXPECT_EQ(measurement.step_ms, (std::vector<double>{5}));
    EXPECT_EQ(measurement.collective_ms, (std::vector<std::vector<double>>{{2, 3}}));
}

}  // namespace
}  // namespace overlap::test
