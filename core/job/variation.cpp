#include "core/job/variation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace overlap::job {

namespace {

/// Mixes the bits of a counter (the finaliser of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// In (0, 1).
double uniform(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

double normal_draw(std::uint64_t seed, std::uint64_t sample, std::uint64_t number) {
    const std::uint64_t first = mixed(mixed(mixed(seed) ^ sample) ^ number), second = mixed(first);
    return std::sqrt(-2 * std::log(uniform(first))) * std::cos(2 * std::numbers::pi * uniform(second));
}

double log_normal_factor(double sigma, double normal) {
    return std::exp(sigma * normal - sigma * sigma / 2);
}

std::vector<double> drawn_steps(const StepGraph& graph, const StepOrder& order, std::span<const double> compute_ms,
                                const VariationSpec& variation, const std::stop_token& stop, const StepFlows* flows,
                                const LinkNetwork* network) {
    const std::span<const double> ms = graph.ms(), delay_ms = graph.delay_ms();
    std::vector<double> drawn_ms(ms.begin(), ms.end()), drawn_delay_ms(delay_ms.begin(), delay_ms.end());
    // Messages are numbered apart from nodes, and what a node does beside computing apart from both.
    constexpr std::uint64_t messages = 1ull << 40, beside = 2ull << 40;
    std::vector<double> steps, message_factor, collective_factor;
    StepTimes times;
    for (std::int32_t sample = 0; sample < variation.samples && !stop.stop_requested(); ++sample) {
        const auto factor = [&](double sigma, std::uint64_t number) {
            if (sigma == 0) return 1.0;
            return log_normal_factor(sigma, normal_draw(variation.seed, static_cast<std::uint64_t>(sample), number));
        };
        for (std::size_t i = 0; i < ms.size(); ++i) {
            const double fixed = ms[i] - compute_ms[i];
            drawn_ms[i] = compute_ms[i] > 0 ? compute_ms[i] * factor(variation.compute_sigma, i) : 0;
            if (fixed > 0) drawn_ms[i] += fixed * factor(variation.transfer_sigma, beside + i);
        }
        for (std::size_t i = 0; i < delay_ms.size(); ++i)
            if (delay_ms[i] > 0) drawn_delay_ms[i] = delay_ms[i] * factor(variation.transfer_sigma, messages + i);
        if (flows && !flows->empty()) {
            message_factor.clear();
            collective_factor.clear();
            for (const StepFlows::Message& message : flows->messages)
                message_factor.push_back(factor(variation.transfer_sigma, messages + message.dependency));
            for (const StepFlows::Collective& collective : flows->collectives)
                collective_factor.push_back(factor(variation.transfer_sigma, beside + collective.member));
            const FlowTimes moved =
                run_flows(graph, *network, *flows, drawn_ms, drawn_delay_ms, message_factor, collective_factor);
            run_step(graph, order, moved.ms, moved.delay_ms, times);
        } else {
            run_step(graph, order, drawn_ms, drawn_delay_ms, times);
        }
        steps.push_back(times.step_ms);
    }
    return steps;
}

StepSpread spread_of(std::vector<double> steps) {
    StepSpread spread;
    spread.samples = static_cast<std::int32_t>(steps.size());
    if (steps.empty()) return spread;
    std::sort(steps.begin(), steps.end());
    const auto percentile = [&](std::size_t percent) { return steps[(percent * steps.size() + 99) / 100 - 1]; };
    spread.mean_ms = std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
    spread.p50_ms = percentile(50);
    spread.p90_ms = percentile(90);
    spread.p99_ms = percentile(99);
    spread.least_ms = steps.front();
    spread.most_ms = steps.back();
    return spread;
}

bool asks_for_draws(const JobDocument& job) {
    return job.variation &&
           (job.variation->has_samples || job.variation->compute_sigma > 0 || job.variation->transfer_sigma > 0);
}

std::optional<VariationSpec> without_draws(const JobDocument& job) {
    if (!job.variation) return std::nullopt;
    VariationSpec variation;
    variation.slow = job.variation->slow;
    return variation;
}

}  // namespace overlap::job
