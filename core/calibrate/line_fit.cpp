#include "core/calibrate/line_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/statistics.h"

namespace overlap {

namespace {

constexpr int rounds = 40;
/// Relative residuals below this count as none.
constexpr double least_residual = 1e-4;
/// Tukey's constant: full efficiency of 95 % for normal errors. The other one makes a median an estimate of deviation.
constexpr double tukey = 4.685, deviation_of_median = 1.4826;

/// Least squares of relative errors with further weights; @returns nothing where the samples lie on one spot.
std::optional<LineFit> weighted_line(std::span<const WorkSample> samples, std::span<const double> weights) {
    double sum = 0, sum_work = 0, sum_time = 0, sum_work_work = 0, sum_work_time = 0;
    for (std::size_t index = 0; index < samples.size(); ++index) {
        const auto [work, time_ms] = samples[index];
        const double weight = weights[index] / (time_ms * time_ms);
        sum += weight;
        sum_work += weight * work;
        sum_time += weight * time_ms;
        sum_work_work += weight * work * work;
        sum_work_time += weight * work * time_ms;
    }
    const double determinant = sum * sum_work_work - sum_work * sum_work;
    if (!(determinant > 1e-12 * sum * sum_work_work)) return std::nullopt;
    LineFit line;
    line.intercept_fitted = true;
    line.slope = (sum * sum_work_time - sum_work * sum_time) / determinant;
    line.intercept_ms = (sum_time - line.slope * sum_work) / sum;
    if (line.intercept_ms < 0) {
        line.intercept_ms = 0;
        line.slope = sum_work_time / sum_work_work;
    } else if (line.slope < 0) {
        line.slope = 0;
        line.intercept_ms = sum_time / sum;
    }
    return line;
}

std::vector<double> residuals_of(std::span<const WorkSample> samples, const LineFit& line) {
    std::vector<double> residuals;
    for (const WorkSample& sample : samples)
        residuals.push_back(std::abs(line.time_ms(sample.work) - sample.time_ms) / sample.time_ms);
    return residuals;
}

/// Iterated least squares: `weight_of(residual, deviation)` says what a sample counts in the next round.
template <typename Weight>
std::optional<LineFit> reweighted(std::span<const WorkSample> samples, std::optional<LineFit> line, Weight weight_of) {
    std::vector<double> weights(samples.size(), 1);
    for (int round = 0; round < rounds; ++round) {
        if (line) {
            const std::vector<double> residuals = residuals_of(samples, *line);
            const double deviation = std::max(deviation_of_median * quantile(residuals, 0.5), least_residual);
            for (std::size_t index = 0; index < weights.size(); ++index)
                weights[index] = weight_of(residuals[index], deviation);
        }
        const std::optional<LineFit> next = weighted_line(samples, weights);
        if (!next) return line;
        line = next;
    }
    return line;
}

double spread_of(std::span<const WorkSample> samples) {
    std::vector<double> works;
    for (const WorkSample& sample : samples) works.push_back(sample.work);
    const double least = quantile(works, 0.1), greatest = quantile(works, 0.9);
    if (greatest <= 0) return 0;
    return least > 0 ? greatest / least : spread_needed;
}

/// The slope above an intercept that is given: the median of what the samples say.
std::optional<LineFit> line_above(std::span<const WorkSample> samples, double intercept_ms) {
    std::vector<double> times, slopes;
    for (const WorkSample& sample : samples) times.push_back(sample.time_ms);
    // An overhead that takes up more than half of what was measured cannot be that of these samples.
    LineFit line;
    line.intercept_ms = intercept_ms <= quantile(times, 0.5) / 2 ? intercept_ms : 0;
    for (const WorkSample& sample : samples) {
        if (sample.work > 0) slopes.push_back(std::max(sample.time_ms - line.intercept_ms, 0.0) / sample.work);
    }
    if (slopes.empty()) return std::nullopt;
    line.slope = quantile(slopes, 0.5);
    return line;
}

}  // namespace

std::optional<LineFit> fit_line(std::span<const WorkSample> samples, double known_intercept_ms) {
    if (samples.empty() || spread_of(samples) == 0) return std::nullopt;
    if (spread_of(samples) < spread_needed) return line_above(samples, known_intercept_ms);
    const auto absolute = [](double residual, double) { return 1 / std::max(residual, least_residual); };
    const auto bisquare = [](double residual, double deviation) {
        const double share = residual / (tukey * deviation);
        return share < 1 ? (1 - share * share) * (1 - share * share) : 0;
    };
    const std::optional<LineFit> line = reweighted(samples, reweighted(samples, {}, absolute), bisquare);
    return line && line->slope > 0 ? line : line_above(samples, known_intercept_ms);
}

}  // namespace overlap
