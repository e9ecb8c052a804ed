#pragma once

#include <optional>
#include <span>

namespace overlap {

/// A measured time and the work that it took, in any unit.
struct WorkSample {
    double work = 0;
    double time_ms = 0;
};

/// `time = intercept_ms + slope · work`, neither below 0.
struct LineFit {
    double intercept_ms = 0;
    double slope = 0;
    bool intercept_fitted = false;  ///< false: the samples have one size of work only, so the given intercept is kept

    double time_ms(double work) const { return intercept_ms + slope * work; }
};

/// The line through samples by weighted least squares with weights 1/time², so that relative errors count, and robust
/// against outliers: from the line of least absolute relative errors on, samples lose weight by Tukey's bisquare.
///
/// Where work varies by less than `spread_needed` between the first and the last tenth of samples, the intercept is not
/// determined: it stays at `known_intercept_ms`, or at the part of it that fits below the times, and only the slope is
/// found.
/// @param samples with time above 0; work is not negative.
/// @returns nothing without samples that have work.
std::optional<LineFit> fit_line(std::span<const WorkSample> samples, double known_intercept_ms);

/// The largest work over the smallest, first and last tenth of samples left out, from which on an intercept is fitted.
inline constexpr double spread_needed = 1.5;

}  // namespace overlap
