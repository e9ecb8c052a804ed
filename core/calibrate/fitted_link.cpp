#include "core/calibrate/fitted_link.h"

#include <algorithm>

namespace overlap {
namespace {

constexpr double ms_per_s = 1e3;

FittedLink line_over_bytes(const std::vector<FittedSample>& samples, double known_latency_ms) {
    FittedLink found;
    found.fit = fit_samples(samples, known_latency_ms);
    if (!found.fit || found.fit->line.slope <= 0) return {};
    found.link = {found.fit->line.intercept_ms, 0, ms_per_s / found.fit->line.slope};
    found.held_out = held_out_error(samples, known_latency_ms, HeldOut::by_work);
    return found;
}

/// The fastest way stays the fastest: all of them change by the same line.
FittedLink line_over_known(std::vector<FittedSample> samples, const CostParameters::Link& known) {
    if (std::ranges::any_of(samples, [](const FittedSample& sample) { return sample.known_ms <= 0; })) return {};
    for (FittedSample& sample : samples) sample.work = sample.known_ms;
    FittedLink found;
    found.fit = fit_samples(samples, 0);
    if (!found.fit || found.fit->line.slope <= 0) return {};
    const LineFit& line = found.fit->line;
    found.link = {line.time_ms(known.latency_ms), 0, known.bytes_per_s / line.slope, known.kinds};
    for (auto& [kind, ways] : found.link.kinds) {
        for (CostParameters::LinkRate& way : ways) way = {line.time_ms(way.latency_ms), way.bytes_per_s / line.slope};
    }
    found.held_out = held_out_error(samples, 0, HeldOut::by_work);
    return found;
}

}  // namespace

FittedLink fit_link(const std::vector<FittedSample>& samples, const CostParameters::Link& known) {
    FittedLink by_bytes = line_over_bytes(samples, known.latency_ms);
    if (known.kinds.empty() || known.bytes_per_s <= 0) return by_bytes;
    FittedLink by_known = line_over_known(samples, known);
    if (!by_known.fit) return by_bytes;
    std::vector<FittedSample> over_known = samples;
    for (FittedSample& sample : over_known) sample.work = sample.known_ms;
    const bool better = !by_bytes.fit || misfit(over_known, *by_known.fit) < misfit(samples, *by_bytes.fit);
    return better ? by_known : by_bytes;
}

}  // namespace overlap
