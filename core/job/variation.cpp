#include "core/job/variation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/job/step/stopped.h"

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

double uniform_draw(std::uint64_t seed, std::uint64_t sample, std::uint64_t number) {
    return uniform(mixed(mixed(mixed(seed) ^ sample) ^ number));
}

double drawn_factor(const DistributionSpec& distribution, std::uint64_t seed, std::uint64_t sample,
                    std::uint64_t number) {
    switch (distribution.kind) {
        case DistributionSpec::Kind::none:
            break;
        case DistributionSpec::Kind::log_normal: {
            const double sigma = distribution.sigma;
            return sigma == 0 ? 1 : std::exp(sigma * normal_draw(seed, sample, number) - sigma * sigma / 2);
        }
        case DistributionSpec::Kind::uniform:
            return distribution.least + (distribution.most - distribution.least) * uniform_draw(seed, sample, number);
        case DistributionSpec::Kind::exponential:
            return -distribution.mean * std::log(uniform_draw(seed, sample, number));
        case DistributionSpec::Kind::measured: {
            const auto count = static_cast<double>(distribution.factors.size());
            return distribution.factors[static_cast<std::size_t>(uniform_draw(seed, sample, number) * count)];
        }
    }
    return 1;
}

std::vector<double> drawn_steps(const StepGraph& graph, const StepOrder& order, std::span<const double> compute_ms,
                                const VariationSpec& variation, const std::stop_token& stop, const StepFlows* flows,
                                const LinkNetwork* network) {
    const std::span<const double> ms = graph.ms(), delay_ms = graph.delay_ms();
    std::vector<double> drawn_ms(ms.begin(), ms.end()), drawn_delay_ms(delay_ms.begin(), delay_ms.end());
    // Messages are numbered apart from nodes, what a node does beside computing apart from both, and so are pauses and
    // ranks.
    constexpr std::uint64_t messages = 1ull << 40, beside = 2ull << 40, pauses = 3, ranks = 1ull << 62;
    std::vector<double> steps, message_factor, collective_factor;
    StepTimes times;
    for (std::int32_t sample = 0; sample < variation.samples; ++sample) {
        require_not_stopped(stop);
        const auto counter = static_cast<std::uint64_t>(sample);
        const auto factor = [&](const DistributionSpec& distribution, std::uint64_t number) {
            return drawn_factor(distribution, variation.seed, counter, number);
        };
        const auto factor_of = [&](const DistributionSpec& distribution, std::uint64_t number, NodeIndex node) {
            return factor(distribution, distribution.each_rank ? ranks + graph.rank(node) : number);
        };
        for (std::size_t i = 0; i < ms.size(); ++i) {
            const auto node = static_cast<NodeIndex>(i);
            if (i % steps_between_looks == 0) require_not_stopped(stop);
            const double fixed = ms[i] - compute_ms[i];
            drawn_ms[i] = compute_ms[i] > 0 ? compute_ms[i] * factor_of(variation.compute, i, node) : 0;
            for (std::size_t pause = 0; pause < variation.pauses.size() && compute_ms[i] > 0; ++pause)
                if (uniform_draw(variation.seed, counter, (pauses + pause) << 40 | i) <
                    variation.pauses[pause].probability)
                    drawn_ms[i] += variation.pauses[pause].ms;
            if (fixed > 0) drawn_ms[i] += fixed * factor_of(variation.transfer, beside + i, node);
        }
        for (std::size_t i = 0; i < delay_ms.size(); ++i)
            if (delay_ms[i] > 0)
                drawn_delay_ms[i] = delay_ms[i] * factor_of(variation.transfer, messages + i, graph.on()[i]);
        if (flows && !flows->empty()) {
            message_factor.clear();
            collective_factor.clear();
            for (const StepFlows::Message& message : flows->messages)
                message_factor.push_back(
                    factor_of(variation.transfer, messages + message.dependency, graph.on()[message.dependency]));
            for (const StepFlows::Collective& collective : flows->collectives)
                collective_factor.push_back(
                    factor_of(variation.transfer, beside + collective.member, collective.member));
            FlowTimes moved =
                run_flows(graph, *network, *flows, drawn_ms, drawn_delay_ms, message_factor, collective_factor);
            run_step(graph, order, moved.ms, moved.delay_ms, times, stop);
        } else {
            run_step(graph, order, drawn_ms, drawn_delay_ms, times, stop);
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
    if (!job.variation) return false;
    const auto varies = [](const DistributionSpec& distribution) {
        return distribution.kind != DistributionSpec::Kind::none &&
               (distribution.kind != DistributionSpec::Kind::log_normal || distribution.sigma > 0);
    };
    return job.variation->has_samples || varies(job.variation->compute) || varies(job.variation->transfer) ||
           !job.variation->pauses.empty();
}

std::optional<VariationSpec> without_draws(const JobDocument& job) {
    if (!job.variation) return std::nullopt;
    VariationSpec variation;
    variation.slow = job.variation->slow;
    return variation;
}

}  // namespace overlap::job
