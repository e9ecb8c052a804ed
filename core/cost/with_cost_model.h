#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/named_cost_model.h"
#include "core/graph/graph.h"

namespace overlap {

/// A graph with another cost model, with notes for the user.
struct ModelledGraph {
    std::shared_ptr<const Graph> graph;
    /// Sentences without full stop: what was replaced, which process groups have no link.
    std::vector<std::string> notes;
};

/// The graph with `model` as its cost model and without times of its own: nodes lose their `estimate_ms`, since times
/// of two origins cannot be compared. All else stays, so its fingerprint is the same. Process groups that nodes name
/// and the graph does not list count as groups between nodes, whose ranks are not known.
/// @throws InputError where the model names a class of compute that does not exist.
ModelledGraph with_cost_model(const std::shared_ptr<const Graph>& graph, const NamedCostModel& model);

/// The graph of a job that compiles it so; none: of one in which every operator has a kernel of its own. Nodes keep
/// their times, by which passes decide.
/// @throws InputError (ErrorCode::no_cost_model) where the graph has no cost model to price kernels by.
std::shared_ptr<const Graph> with_compilation(const std::shared_ptr<const Graph>& graph,
                                              const std::optional<Compilation>& compilation);

/// The graph's own model under the name of `graph_name`: what a calibration starts from where no other is chosen.
/// @pre the graph has a cost model.
NamedCostModel named_model_of(const CostParameters& cost, const std::string& graph_name);

}  // namespace overlap
