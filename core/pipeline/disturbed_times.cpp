#include "core/pipeline/disturbed_times.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/cost/fused_products.h"

namespace overlap {

namespace {

constexpr double slowed = 1.2, sped_up = 1 / 1.2;

constexpr Disturbance disturbances[] = {
    {"links 20 % slower", 1, slowed, slowed},
    {"links 20 % faster", 1, sped_up, sped_up},
    {"compute 20 % slower", slowed, 1, 1},
    {"compute 20 % faster", sped_up, 1, 1},
};

double disturbed_ms(double communication_ms, double latency_ms, const Disturbance& disturbance) {
    return latency_ms * disturbance.latency + (communication_ms - latency_ms) * disturbance.communication;
}

/// The pieces of their collectives are communication, although the compute stream runs them.
void disturb_fused_products(const Evaluation& evaluation, const Disturbance& disturbance,
                            std::vector<double>& times_ms) {
    for (FusedProductTimes parts : times_of_fused_products(*evaluation.graph)) {
        const double before_ms = parts.time_ms();
        if (before_ms <= 0) continue;
        parts.communication_ms = disturbed_ms(parts.communication_ms, parts.latency_ms, disturbance);
        parts.products_ms *= disturbance.compute;
        // A time of its own, or a measured one, changes by the share by which the model's does.
        times_ms[parts.node] = evaluation.times_ms[parts.node] * parts.time_ms() / before_ms;
    }
}

}  // namespace

std::span<const Disturbance> usual_disturbances() {
    return disturbances;
}

double disturbed_step_ms(const Evaluation& evaluation, const Disturbance& disturbance, std::stop_token stop) {
    std::vector<double> times_ms = evaluation.times_ms;
    for (NodeId node = 0; node < times_ms.size(); ++node)
        if (evaluation.simulation.on_compute(node)) times_ms[node] *= disturbance.compute;
    disturb_fused_products(evaluation, disturbance, times_ms);
    const std::optional<CostParameters>& cost = evaluation.graph->header().cost;
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
        double& time_ms = times_ms[timing.start];
        const CostParameters::Link* link =
            cost ? cost->link(evaluation.simulation.groups[timing.group].process_group) : nullptr;
        const double latency_ms = link ? std::min(time_ms, collective_latency_ms(*link, timing.kind, timing.bytes)) : 0;
        time_ms = disturbed_ms(time_ms, latency_ms, disturbance);
    }
    return simulated_like(evaluation, *evaluation.graph, times_ms, stop).step_ms;
}

}  // namespace overlap
