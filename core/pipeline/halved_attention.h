#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Where a batch is halved whose tokens are folded into one sequence, flex attention's flops, which are quadratic in
/// that sequence, say that a half takes a quarter. Half of the tokens are half of the sequences, and each still attends
/// to itself alone, so that a half takes half of the whole: twice what the formula says. For figures; passes of PyTorch
/// go by the formula.
/// @param times_ms of all nodes; those of nodes with a time of their own in the graph stay.
void price_halved_attention(const Graph& graph, std::vector<double>& times_ms);

}  // namespace overlap
