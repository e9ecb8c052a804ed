#include "core/pipeline/beside_step.h"

namespace overlap {

std::optional<OptimizerStep> beside_step(const Graph& graph, const TimeSource* source) {
    if (!source || !source->compilation || !graph.header().cost) return std::nullopt;
    const OptimizerStep step = optimizer_step(graph);
    return step.gradients > 0 ? std::optional(step) : std::nullopt;
}

std::optional<OptimizerStep> beside_step(const Evaluation& evaluation) {
    if (!evaluation.times_known || evaluation.refused) return std::nullopt;
    return beside_step(*evaluation.graph, evaluation.time_source.get());
}

}  // namespace overlap
