#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/line_fit.h"

namespace overlap {

/// A sample of a class of compute or of a process group with its work: milliseconds at full rates, or bytes.
struct FittedSample {
    double work = 0;
    double time_ms = 0;
    std::optional<double> beside_ms;  ///< see NodeSample
    double beside_others_ms = 0;
    double known_ms = 0;  ///< of a collective: by the link that it had before; 0: it has none

    /// A mean over several occurrences says nothing about what ran beside them, and has to be taken as it is.
    bool alone() const;
    bool beside() const;
    bool beside_others() const;
};

/// The line of one class or group, and what could be determined.
struct SamplesFit {
    LineFit line;
    std::optional<double> slowdown;  ///< of what ran beside others, a share; none: too few samples tell it
    bool few_alone = false;          ///< too few samples ran alone: all count, as they are
};

/// The line through samples that ran alone, where there are `samples_needed` of them, large ones too, else through all.
/// @param known_intercept_ms see fit_line(). @returns nothing where no line fits.
std::optional<SamplesFit> fit_samples(const std::vector<FittedSample>& samples, double known_intercept_ms);

/// By how much a line misses the samples that it was fitted to: the mean of |line - time| / time.
double misfit(const std::vector<FittedSample>& samples, const SamplesFit& fit);

/// What the samples could not determine, as clauses; may be empty. @param intercept what the line's beginning is
/// called.
std::string note_on(const SamplesFit& fit, const std::string& intercept);

/// Samples that a factor must rest on.
inline constexpr std::uint32_t samples_needed = 3;

/// In what order samples are held out: whole parts of the step, or whole ranges of work, so that the largest are
/// predicted from smaller ones.
enum class HeldOut : std::uint8_t { by_place, by_work };

/// By which share sums of samples are off that the line was not fitted to: a fifth of them at a time is held out, and
/// predicted from the others; the root of the mean square of these five errors.
/// @param samples in the order of the step. @returns nothing where there are too few to hold any out.
std::optional<double> held_out_error(const std::vector<FittedSample>& samples, double known_intercept_ms,
                                     HeldOut order);

}  // namespace overlap
