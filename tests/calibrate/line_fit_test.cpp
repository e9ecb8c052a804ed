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
}

}  // namespace
}  // namespace overlap
