#include "core/pipeline/step_with_links_shared.h"

#include <utility>

#include "core/pipeline/exposed_problems.h"

namespace overlap {

double step_with_links_shared(const Evaluation& evaluation) {
    return evaluation.on_shared_links ? evaluation.on_shared_links->step_ms : evaluation.simulation.step_ms;
}

double exposed_with_links_shared(const Evaluation& evaluation) {
    return evaluation.on_shared_links ? evaluation.on_shared_links->exposed_ms : evaluation.simulation.exposed_ms;
}

std::shared_ptr<const Evaluation> with_links_shared(std::shared_ptr<const Evaluation> evaluation,
                                                    std::stop_token stop) {
    if (!evaluation || !evaluation->on_shared_links) return evaluation;
    auto shared = std::make_shared<Evaluation>(*evaluation);
    shared->on_shared_links.reset();
    const TimeSource* source = applied_source(*evaluation);
    shared->time_source =
        modelled_source(source && source->contention, source ? source->compilation : std::nullopt, true);
    SourcedSimulation sourced =
        sourced_simulation(*shared->graph, shared->times_ms, shared->time_source.get(), {}, stop);
    if (stop.stop_requested()) return nullptr;
    shared->simulation = std::move(sourced.simulation);
    shared->contention = std::move(sourced.contention);
    std::erase_if(shared->problems, [](const Problem& problem) { return problem.kind == ProblemKind::exposed; });
    for (Problem& problem : exposed_problems(*shared)) shared->problems.push_back(std::move(problem));
    return shared;
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
