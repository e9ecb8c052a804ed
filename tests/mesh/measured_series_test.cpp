// Times of collectives from measurements.

#include "core/mesh/measured_series.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

constexpr double bytes_of_gib = 1024.0 * 1024.0 * 1024.0;

}  // namespace

TEST(MeasuredTimes, LinearBetweenPointsConstantBelow) {
    const std::vector<MeasuredTime> points = {{1000, 10.0}, {2000, 14.0}, {4000, 30.0}};
    EXPECT_DOUBLE_EQ(interpolated_us(points, 0), 10.0);
    EXPECT_DOUBLE_EQ(interpolated_us(points, 1000), 10.0);
    EXPECT_DOUBLE_EQ(interpolated_us(points, 1500), 12.0);
    EXPECT_DOUBLE_EQ(interpolated_us(points, 2000), 14.0);
    EXPECT_DOUBLE_EQ(interpolated_us(points, 3000), 22.0);
    EXPECT_DOUBLE_EQ(interpolated_us(points, 6000), 46.0);
}

TEST(MeasuredTimes, MoreBytesAreNeverFree) {
    const std::vector<MeasuredTime> noisy = {{1000, 10.0}, {2000, 9.0}};
    EXPECT_DOUBLE_EQ(interpolated_us(noisy, 50'000), 9.0);
    const std::vector<MeasuredTime> one = {{1000, 10.0}};
    EXPECT_DOUBLE_EQ(interpolated_us(one, 500), 10.0);
    EXPECT_DOUBLE_EQ(interpolated_us(one, 3000), 30.0);
    const std::vector<MeasuredTime> latency = {{0, 10.0}};
    EXPECT_DOUBLE_EQ(interpolated_us(latency, 3000), 10.0);
    // Between points noise is what was measured.
    EXPECT_DOUBLE_EQ(interpolated_us(noisy, 1500), 9.5);
}

TEST(MeasuredTimes, OnlyGathersCountWhatTheyReturn) {
    EXPECT_EQ(collective_bytes(StepKind::all_gather, 100, 4), 400);
    for (const StepKind kind :
         {StepKind::all_reduce, StepKind::reduce_scatter, StepKind::all_to_all, StepKind::permute})
        EXPECT_EQ(collective_bytes(kind, 100, 4), 100) << to_text(kind);
}

TEST(MeasuredTimes, ByKindAndCommunicatorElseTheOtherModel) {
    DeviceMesh mesh;
    mesh.shape = {2, 4};
    const auto fixed = fixed_times();
    const auto times = measured_times(mesh,
                                      {{StepKind::all_gather, {1}, {{0, 1.0}, {4000, 5.0}}},
                                       {StepKind::all_reduce, {0, 1}, {{0, 7.0}, {8000, 15.0}}}},
                                      *fixed);
    const std::vector<int> inner = {1}, outer = {0}, both = {0, 1};
    // A gather counts what it returns: four times what a rank holds.
    EXPECT_NEAR(times->time(StepKind::all_gather, inner, 500 / bytes_of_gib), 3.0, 1e-9);
    EXPECT_NEAR(times->time(StepKind::all_reduce, both, 4000 / bytes_of_gib), 11.0, 1e-9);
    EXPECT_EQ(times->time(StepKind::all_gather, outer, 500 / bytes_of_gib), 2.0);
    EXPECT_EQ(times->time(StepKind::all_reduce, inner, 500 / bytes_of_gib), 4.0);
}

TEST(MeasuredTimes, RefusesTablesThatAreNone) {
    const auto problem = [](std::vector<MeasuredTime> points) {
        return problem_of([&] { validate({StepKind::all_gather, {0}, std::move(points)}); });
    };
    EXPECT_EQ(problem({}), "measured all_gather: it has no points");
    EXPECT_EQ(problem({{10, 1.0}, {10, 2.0}}), "measured all_gather: its points must ascend in bytes; 10 does not");
    EXPECT_EQ(problem({{10, -1.0}}),
              "measured all_gather: the time at 10 bytes is no finite number that is not negative");
    EXPECT_EQ(problem({{10, 1.0}, {20, 2.0}}), "accepted");
    EXPECT_EQ(problem({{0, 0.0}}), "accepted");
    EXPECT_EQ(problem({{-1, 1.0}}), "measured all_gather: its points must ascend in bytes; -1 does not");
    EXPECT_EQ(problem({{10, 1.0}, {20, std::numeric_limits<double>::infinity()}}),
              "measured all_gather: the time at 20 bytes is no finite number that is not negative");
    EXPECT_EQ(problem_of([] {
                  measured_times(DeviceMesh{{2}, {}}, {{StepKind::all_gather, {0}, {}}}, *fixed_times());
              }),
              "measured all_gather: it has no points");
}

}  // namespace overlap::test
