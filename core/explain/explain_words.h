#pragma once

#include <span>
#include <string>

#include "core/graph/graph.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// `an all-gather`.
std::string collective_with_article(CollectiveKind kind);

/// The node that communicates: `node` itself, or what it waits for; no_node for others.
NodeId communicating_node(const Graph& graph, NodeId node);

/// `entry 3 (layers.0)`; without the name where the step has no such entry.
/// @param steps of the plan, as they were run. @param report of the step whose entry it is: one of the evaluation's.
std::string entry_words(const Evaluation& evaluation, std::span<const ResolvedStep> steps, const PassReport& report,
                        std::size_t entry);

}  // namespace overlap
