#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/cost/named_cost_model.h"
#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// Times that a cost model predicts for a graph, with contention where the model knows factors of it.
struct Prediction {
    double step_ms = 0, exposed_ms = 0;
    std::vector<double> times_ms;  ///< of each node, beside what runs with it
    Simulation simulation;
};

/// By the graph's own times and cost model, as a job runs it that compiles it so; none: each operator by itself.
/// @throws InputError as sourced_times().
Prediction predict(const std::shared_ptr<const Graph>& graph, const std::optional<Compilation>& compilation);

/// By a model in place of the graph's times.
Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model,
                   const std::optional<Compilation>& compilation);

/// What the graph says of its job's compilation; none where it says nothing.
std::optional<Compilation> declared_compilation(const Graph& graph);

/// As the graph says that its job compiles it.
Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model);

}  // namespace overlap
