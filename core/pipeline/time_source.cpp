#include "core/pipeline/time_source.h"

#include <utility>

#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"
#include "core/predict/compiled_times.h"

namespace overlap {
SourcedTimes sourced_times(const Graph& graph, const TimeSource* source) {
    if (source && source->compilation) return {compiled_times(graph, *source->compilation).times_ms};
    std::vector<double> own_ms = node_times_ms(graph);
    if (!source || !source->measured()) return {std::move(own_ms)};
    ProfileGuidedTimes known = profile_guided_times(graph, source->tables, own_ms);
    return {std::move(known.times_ms), known.collectives, known.operators};
}

std::shared_ptr<const TimeSource> modelled_source(bool contention, const std::optional<Compilation>& compilation) {
    return std::make_shared<const TimeSource>(TimeSource{{}, ProfileTables({}), contention, compilation});
}

std::shared_ptr<const TimeSource> own_time_source(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost && cost->compilation ? modelled_source(false, cost->compilation) : nullptr;
}

SourcedSimulation sourced_simulation(const Graph& graph, std::span<const double> times_ms, const TimeSource* source,
                                     const SimulationOptions& options, std::stop_token stop) {
    if (source && source->contention) {
        AppliedContention applied{contention_of(graph), {}};
        ContendedSimulation contended = simulate_with_contention(graph, times_ms, applied.factors, options, stop);
        applied.transfers = std::move(contended.transfers);
        return {std::move(contended.simulation), std::make_shared<const AppliedContention>(std::move(applied))};
    }
    return {simulate(graph, times_ms, options, stop), nullptr};
}

}  // namespace overlap
