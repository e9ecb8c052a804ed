#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// The analytic time of one node in milliseconds, rounded to six decimals; see design/formats.md "Cost model".
/// Ignores the node's `estimate_ms`.
/// @throws InputError when the graph has no cost model, or no link for the process group of a collective.
double analytic_time_ms(const Graph& graph, NodeId node);

/// Analytic times of all nodes.
std::vector<double> analytic_times_ms(const Graph& graph);

/// Times of all nodes as simulations use them: `estimate_ms` where a node has it, else the analytic model.
/// @throws InputError when a node has neither, or a time is negative or not finite.
std::vector<double> node_times_ms(const Graph& graph);

/// Floating-point operations of a node as torch's flop counter counts them; 0 for operators without a formula.
double node_flops(const Graph& graph, NodeId node);

}  // namespace overlap
