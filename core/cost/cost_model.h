#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// The analytic time of one node in milliseconds, rounded to six decimals; see docs/formats.md "Cost model". Where
/// the cost model has efficiency and overhead by class of compute (core/cost/with_cost_model.h), these count instead of
/// the device's two efficiencies. Ignores the node's `estimate_ms`. Nodes that take no time (views, waits,
/// placeholders, higher-order operators other than flex_attention, nodes without tensors) need no cost model.
/// @throws InputError when the graph has no cost model, or no link for the process group of a collective, or the
/// shapes of an operator with a flop formula do not fit one another.
double analytic_time_ms(const Graph& graph, NodeId node);

/// Analytic times of all nodes.
std::vector<double> analytic_times_ms(const Graph& graph);

/// The analytic time of a collective that moves `bytes` (the larger of its inputs and its output) in a process group.
/// @throws InputError when the graph has no cost model or no link for the group.
double collective_time_ms(const Graph& graph, std::string_view process_group, CollectiveKind kind, std::int64_t bytes);

/// The same over a link that is given.
double collective_time_ms(const CostParameters::Link& link, CollectiveKind kind, std::int64_t bytes);

/// The part of that time that passes before data moves.
double collective_latency_ms(const CostParameters::Link& link, CollectiveKind kind, std::int64_t bytes);

/// Times of all nodes as simulations use them: `estimate_ms` where a node has it, else the analytic model. Beyond it,
/// a control_deps counts as the operation that it wraps, and copies between device and host take what the host link
/// carries (host_transfers.h), whatever the file says. Products that are fused with their collective, which PyTorch
/// gives no value, take what their pieces take (fused_products.h).
///
/// Without a cost model a missing estimate of a node that is neither collective nor counted in flops is taken for 0
/// when any other node has one: writers leave zeros out.
/// @throws InputError when a node has neither, or a time is negative or not finite.
std::vector<double> node_times_ms(const Graph& graph);

/// @throws InputError where the graph's cost model names a class of compute that does not exist.
void check_cost_model(const Graph& graph);

/// Floating-point operations of a node as torch's flop counter counts them; 0 for operators without a formula.
/// flex_attention counts the causal half (docs/formats.md).
double node_flops(const Graph& graph, NodeId node);

}  // namespace overlap
