#pragma once

#include <optional>

#include "core/pipeline/evaluation.h"
#include "core/predict/optimizer_step.h"

namespace overlap {

/// What a compiled job does beside the graph: clipping and the optimizer, which no simulated step has in it. Nothing
/// where figures are not of a compiled job, the graph returns no gradients, or times are not known.
/// @param source whose figures are asked for; may be null.
std::optional<OptimizerStep> beside_step(const Graph& graph, const TimeSource* source);
std::optional<OptimizerStep> beside_step(const Evaluation& evaluation);

}  // namespace overlap
