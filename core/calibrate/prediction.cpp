#include "core/calibrate/prediction.h"

#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/simulate/contention.h"

namespace overlap {

Prediction predict(const std::shared_ptr<const Graph>& graph) {
    const std::vector<double> times_ms = node_times_ms(*graph);
    const bool contended = graph->header().cost && graph->header().cost->contention;
    ContendedSimulation result =
        simulate_with_contention(*graph, times_ms, contended ? contention_of(*graph) : Contention{});
    return {result.simulation.step_ms, result.simulation.exposed_ms, std::move(result.times_ms)};
}

Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model) {
    return predict(with_cost_model(graph, model).graph);
}

}  // namespace overlap
