#include "core/pipeline/step_with_links_shared.h"

#include <utility>

namespace overlap {

double step_with_links_shared(const Evaluation& evaluation) {
    return evaluation.on_shared_links ? evaluation.on_shared_links->step_ms : evaluation.simulation.step_ms;
}

const TimeSource* applied_source(const Evaluation& evaluation) {
    const TimeSource* source = evaluation.time_source.get();
    return source && source->contention && !evaluation.contention ? nullptr : source;
}

std::optional<SharedLinkStep> shared_links_like(const Evaluation& evaluation, const Graph& graph,
                                                std::span<const double> times_ms, const Simulation& simulation,
                                                std::stop_token stop) {
    return step_on_shared_links(graph, times_ms, simulation, applied_source(evaluation), {}, std::move(stop));
}

}  // namespace overlap
