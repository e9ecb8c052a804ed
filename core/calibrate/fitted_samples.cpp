#include "core/calibrate/fitted_samples.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"

namespace overlap {
namespace {

/// Below the first share of its time beside others a sample counts as alone, above the second one as beside them.
constexpr double alone_share = 0.1, beside_share = 0.3;
/// Parts that samples are held out in, one after the other.
constexpr std::size_t parts = 5;

/// The slowdown `s` of samples beside others: `(time - alone) / beside = s / (1 + s)`; nothing where there are too few.
std::optional<double> slowdown_of(const std::vector<FittedSample>& samples, const LineFit& alone) {
    std::vector<double> shares;
    for (const FittedSample& sample : samples) {
        if (!sample.beside()) continue;
        shares.push_back((sample.time_ms - alone.time_ms(sample.work)) / *sample.beside_ms);
    }
    if (shares.size() < samples_needed) return std::nullopt;
    constexpr double slowest = 0.95;  // twenty times as long: beyond that no factor explains a time
    const double share = std::clamp(quantile(std::move(shares), 0.5), 0.0, slowest);
    return share / (1 - share);
}

std::vector<FittedSample> those_alone(const std::vector<FittedSample>& samples) {
    std::vector<FittedSample> alone;
    std::ranges::copy_if(samples, std::back_inserter(alone), &FittedSample::alone);
    return alone;
}

std::optional<LineFit> line_through(const std::vector<FittedSample>& samples, double known_intercept_ms) {
    std::vector<WorkSample> times;
    for (const FittedSample& sample : samples) times.push_back({sample.work, sample.time_ms});
    return fit_line(times, known_intercept_ms);
}

/// Whether those that ran alone say something of the larger ones, too. In a plan that hides all that is large, only
/// the smallest run alone, and a line through these has any slope.
bool reach_large_work(const std::vector<FittedSample>& alone, const std::vector<FittedSample>& all) {
    if (alone.size() < samples_needed) return false;
    std::vector<double> works;
    for (const FittedSample& sample : all) works.push_back(sample.work);
    const auto largest = std::ranges::max_element(alone, {}, &FittedSample::work);
    return largest->work >= quantile(std::move(works), 0.9) / spread_needed;
}

}  // namespace

bool FittedSample::alone() const {
    return beside_ms.value_or(0) < alone_share * time_ms && !beside_others();
}

bool FittedSample::beside() const {
    return beside_ms && *beside_ms > beside_share * time_ms && !beside_others();
}

bool FittedSample::beside_others() const {
    return beside_others_ms >= alone_share * time_ms;
}

std::optional<SamplesFit> fit_samples(const std::vector<FittedSample>& samples, double known_intercept_ms) {
    const std::vector<FittedSample> alone = those_alone(samples);
    const bool enough = reach_large_work(alone, samples);
    const std::optional<LineFit> line = line_through(enough ? alone : samples, known_intercept_ms);
    if (!line) return std::nullopt;
    SamplesFit result{*line, {}, !enough};
    if (enough) result.slowdown = slowdown_of(samples, *line);
    return result;
}

double misfit(const std::vector<FittedSample>& samples, const SamplesFit& fit) {
    const std::vector<FittedSample> counted = fit.few_alone ? samples : those_alone(samples);
    double sum = 0;
    for (const FittedSample& sample : counted)
        sum += std::abs(fit.line.time_ms(sample.work) - sample.time_ms) / sample.time_ms;
    return counted.empty() ? 0 : sum / static_cast<double>(counted.size());
}

std::string note_on(const SamplesFit& fit, const std::string& intercept) {
    std::string note;
    if (!fit.line.intercept_fitted) note = "sizes vary too little to determine its " + intercept;
    if (fit.few_alone)
        note += (note.empty() ? "" : "; ") +
                std::string("too few, or only small ones, ran alone, so all count as they are");
    return note;
}

std::optional<double> held_out_error(const std::vector<FittedSample>& samples, double known_intercept_ms,
                                     HeldOut order) {
    // What ran beside others was slowed by factors that other plans have too, and which are fitted apart.
    std::vector<FittedSample> counted = those_alone(samples);
    if (!reach_large_work(counted, samples)) counted = samples;
    if (counted.size() < parts) return std::nullopt;
    if (order == HeldOut::by_work) std::ranges::stable_sort(counted, {}, &FittedSample::work);
    double squares = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto begin = static_cast<std::ptrdiff_t>(part * counted.size() / parts);
        const auto end = static_cast<std::ptrdiff_t>((part + 1) * counted.size() / parts);
        std::vector<FittedSample> others(counted.begin(), counted.begin() + begin);
        others.insert(others.end(), counted.begin() + end, counted.end());
        const std::optional<LineFit> line = line_through(others, known_intercept_ms);
        if (!line) return std::nullopt;
        double predicted_ms = 0, measured_ms = 0;
        for (auto sample = counted.begin() + begin; sample != counted.begin() + end; ++sample) {
            predicted_ms += line->time_ms(sample->work);
            measured_ms += sample->time_ms;
        }
        const double error = predicted_ms / measured_ms - 1;
        squares += error * error;
    }
    return std::sqrt(squares / parts);
}

}  // namespace overlap
