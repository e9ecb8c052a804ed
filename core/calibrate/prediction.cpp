#include "core/calibrate/prediction.h"

#include "core/cost/with_cost_model.h"
#include "core/pipeline/time_source.h"
#include "core/simulate/contention.h"

namespace overlap {

Prediction predict(const std::shared_ptr<const Graph>& graph, const std::optional<Compilation>& compilation) {
    const std::vector<double> times_ms = sourced_times(*graph, modelled_source(false, compilation).get()).times_ms;
    const bool contended = graph->header().cost && graph->header().cost->contention;
    ContendedSimulation result =
        simulate_with_contention(*graph, times_ms, contended ? contention_of(*graph) : Contention{});
    const double step_ms = result.simulation.step_ms, exposed_ms = result.simulation.exposed_ms;
    return {step_ms, exposed_ms, std::move(result.times_ms), std::move(result.simulation)};
}

Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model,
                   const std::optional<Compilation>& compilation) {
    return predict(with_cost_model(graph, model).graph, compilation);
}

std::optional<Compilation> declared_compilation(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost ? cost->compilation : std::nullopt;
}

Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model) {
    return predict(graph, model, declared_compilation(*graph));
}

}  // namespace overlap
