#include "core/pipeline/disturbed_times.h"

namespace overlap {

namespace {

constexpr double more = 1.2, less = 1 / 1.2;

constexpr Disturbance disturbances[] = {
    {"links 20 % slower", 1, more},
    {"links 20 % faster", 1, less},
    {"compute 20 % slower", more, 1},
    {"compute 20 % faster", less, 1},
};

}  // namespace

std::span<const Disturbance> usual_disturbances() {
    return disturbances;
}

double disturbed_step_ms(const Evaluation& evaluation, const Disturbance& disturbance, std::stop_token stop) {
    std::vector<double> times_ms = evaluation.times_ms;
    for (NodeId node = 0; node < times_ms.size(); ++node) {
        if (evaluation.simulation.collective_of_node[node] >= 0) times_ms[node] *= disturbance.communication;
        if (evaluation.simulation.on_compute(node)) times_ms[node] *= disturbance.compute;
    }
    // As the evaluation did where the cost model has no factors of contention.
    const TimeSource* source = evaluation.time_source.get();
    if (source && source->contention && !evaluation.contention) source = nullptr;
    return sourced_simulation(*evaluation.graph, times_ms, source, {}, stop).simulation.step_ms;
}

}  // namespace overlap
