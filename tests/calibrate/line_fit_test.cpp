#include "core/calibrate/line_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace overlap {
namespace {

constexpr double overhead_ms = 0.004, slope = 1.6;

/// Times of work from 1 µs to 10 ms, evenly in the logarithm. @param noise relative standard deviation.
std::vector<WorkSample> samples_of(std::size_t count, double noise) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<WorkSample> samples;
    for (std::size_t index = 0; index < count; ++index) {
        const double work = 1e-3 * std::pow(1e4, static_cast<double>(index) / static_cast<double>(count - 1));
        samples.push_back({work, (overhead_ms + slope * work) * (1 + noise * normal(random))});
    }
    return samples;
}

TEST(LineFit, ExactTimesGiveTheLine) {
    const std::vector<WorkSample> samples = samples_of(20, 0);
    const std::optional<LineFit> line = fit_line(samples, 0);
    ASSERT_TRUE(line);
    EXPECT_TRUE(line->intercept_fitted);
    EXPECT_NEAR(line->intercept_ms, overhead_ms, 1e-9);
    EXPECT_NEAR(line->slope, slope, 1e-9);
}

TEST(LineFit, TwoSizesGiveTheLine) {
    const std::optional<LineFit> line = fit_line(std::vector<WorkSample>{{1, 3}, {10, 12}}, 0);
    ASSERT_TRUE(line);
    EXPECT_TRUE(line->intercept_fitted);
    EXPECT_NEAR(line->intercept_ms, 2, 1e-9);
    EXPECT_NEAR(line->slope, 1, 1e-9);
}

TEST(LineFit, TimesOfAnySizeGiveTheLine) {
    for (const double unit : {1e-6, 1e6}) {
        std::vector<WorkSample> samples = samples_of(20, 0);
        for (WorkSample& sample : samples) sample.time_ms *= unit;
        const std::optional<LineFit> line = fit_line(samples, 0);
        ASSERT_TRUE(line);
        EXPECT_TRUE(line->intercept_fitted) << unit;
        EXPECT_NEAR(line->slope / unit, slope, 1e-6);
    }
}

TEST(LineFit, RelativeErrorsCount) {
    // Half of what is small takes twice as long; by absolute errors it would count more the longer it took.
    const std::vector<WorkSample> samples = {{0, 1}, {0, 2}, {100, 101}, {100, 101.5}};
    const std::optional<LineFit> line = fit_line(samples, 0);
    ASSERT_TRUE(line);
    EXPECT_LT(line->intercept_ms, 1.5);
}

TEST(LineFit, ASampleFarOffDoesNotCountAtAll) {
    // All others lie within 2 %; one that took half as long again moves nothing.
    std::vector<WorkSample> samples = samples_of(60, 0.01);
    const LineFit without = *fit_line(samples, 0);
    samples.push_back({3, 1.5 * (overhead_ms + slope * 3)});
    const LineFit with = *fit_line(samples, 0);
    EXPECT_NEAR(with.slope, without.slope, 0.002 * without.slope);
    EXPECT_NEAR(with.intercept_ms, without.intercept_ms, 0.002 * without.intercept_ms);
}

TEST(LineFit, SamplesBeyondWhatTheOthersScatterDoNotCount) {
    // Most are 1 % off, up or down; every fifth is 10 % too slow, seven times as far.
    std::vector<WorkSample> samples = samples_of(61, 0);
    for (std::size_t index = 0; index < samples.size(); ++index)
        samples[index].time_ms *= index % 5 == 2 ? 1.1 : index % 2 == 0 ? 1.01 : 0.99;
    const std::optional<LineFit> line = fit_line(samples, 0);
    EXPECT_NEAR(line->slope, slope, 0.004 * slope);
    EXPECT_NEAR(line->intercept_ms, overhead_ms, 0.01 * overhead_ms);
}

TEST(LineFit, NoiseDoesNotMatterMuch) {
    const std::vector<WorkSample> samples = samples_of(400, 0.05);
    const std::optional<LineFit> line = fit_line(samples, 0);
    EXPECT_NEAR(line->intercept_ms, overhead_ms, 0.03 * overhead_ms);
    EXPECT_NEAR(line->slope, slope, 0.02 * slope);
}

TEST(LineFit, OutliersDoNotCount) {
    std::vector<WorkSample> samples = samples_of(200, 0.02);
    for (std::size_t index = 0; index < samples.size(); index += 5) samples[index].time_ms *= 8;
    const std::optional<LineFit> line = fit_line(samples, 0);
    EXPECT_NEAR(line->intercept_ms, overhead_ms, 0.03 * overhead_ms);
    EXPECT_NEAR(line->slope, slope, 0.02 * slope);
}

TEST(LineFit, OneSizeTellsTheSlopeAlone) {
    const std::vector<WorkSample> samples = {{2, 10.5}, {2, 10.4}, {2, 10.6}};
    const std::optional<LineFit> line = fit_line(samples, 0.5);
    ASSERT_TRUE(line);
    EXPECT_FALSE(line->intercept_fitted);
    EXPECT_EQ(line->intercept_ms, 0.5);
    EXPECT_NEAR(line->slope, 5, 1e-12);
}

TEST(LineFit, SizesOfWhichTheLargestAreHalfAsLargeAgainTellTheOverhead) {
    const std::vector<WorkSample> enough = {{2, 3}, {2, 3}, {3, 4}, {3, 4}};
    EXPECT_TRUE(fit_line(enough, 0.5)->intercept_fitted);
    EXPECT_NEAR(fit_line(enough, 0.5)->intercept_ms, 1, 1e-9);
    const std::vector<WorkSample> too_few = {{2, 3}, {2, 3}, {2.9, 4}, {2.9, 4}};
    EXPECT_FALSE(fit_line(too_few, 0.5)->intercept_fitted);
    EXPECT_EQ(fit_line(too_few, 0.5)->intercept_ms, 0.5);
}

TEST(LineFit, ASlopeIsOfSamplesThatHaveWork) {
    // The median of slopes from 1 to 10; what has no work has none.
    std::vector<WorkSample> samples = {{0, 1}};
    for (int slope_of = 1; slope_of <= 10; ++slope_of) samples.push_back({2, 2.0 * slope_of});
    EXPECT_NEAR(fit_line(samples, 0)->slope, 5.5, 1e-12);
}

TEST(LineFit, AnOverheadThatCannotBeIsDropped) {
    const std::vector<WorkSample> samples = {{2, 1}, {2, 1}};
    EXPECT_EQ(fit_line(samples, 0.9)->intercept_ms, 0);
    EXPECT_EQ(fit_line(samples, 0.9)->slope, 0.5);
}

TEST(LineFit, NothingIsBelowZero) {
    // Large work gains: the best line would begin below zero.
    const std::vector<WorkSample> gaining = {{1, 0.5}, {2, 2}, {4, 5}, {8, 11}, {16, 23}};
    EXPECT_EQ(fit_line(gaining, 0)->intercept_ms, 0);
    EXPECT_GT(fit_line(gaining, 0)->slope, 0);
}

TEST(LineFit, WithoutWorkThereIsNoLine) {
    EXPECT_FALSE(fit_line({}, 0));
    const std::vector<WorkSample> idle = {{0, 1}, {0, 1}};
    EXPECT_FALSE(fit_line(idle, 0));
    std::vector<WorkSample> mostly_idle(20, {0, 1});
    mostly_idle.push_back({100, 101});
    EXPECT_FALSE(fit_line(mostly_idle, 0));
}

}  // namespace
}  // namespace overlap
