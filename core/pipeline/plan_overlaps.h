#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/passes/overlaps/directed_order.h"
#include "core/passes/pass.h"

namespace overlap {

/// Applies a plan's overlaps by hand to the result of its pipeline.
/// @param reports of the pipeline's steps: collectives that were merged into a bucket are found by their first names.
/// @param modules of the graph, by the plan's source.
/// @throws PassRefusal where the graph is not in topological order.
DirectedGraph apply_overlaps(const std::shared_ptr<const Graph>& graph, std::span<const PassReport> reports,
                             const OverlapDirectives& overlaps, const ModuleTree& modules);

/// A problem for each directive that cannot hold; its fix removes the directive, whose number is the fix's value.
std::vector<Problem> refused_overlaps(const OverlapDirectives& overlaps, std::span<const DirectiveOutcome> outcomes);

}  // namespace overlap
