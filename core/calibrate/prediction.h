#pragma once

#include <memory>
#include <vector>

#include "core/cost/named_cost_model.h"
#include "core/graph/graph.h"

namespace overlap {

/// Times that a cost model predicts for a graph, with contention where the model knows factors of it.
struct Prediction {
    double step_ms = 0, exposed_ms = 0;
    std::vector<double> times_ms;  ///< of each node, beside what runs with it
};

/// By the graph's own times and cost model. @throws InputError as node_times_ms().
Prediction predict(const std::shared_ptr<const Graph>& graph);

/// By a model in place of the graph's times.
Prediction predict(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model);

}  // namespace overlap
