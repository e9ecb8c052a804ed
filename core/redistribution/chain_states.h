#pragma once

#include "core/redistribution/redistribution_chains.h"

namespace overlap {

/// Infers mesh, storage, tensors and states of a parameter from the paths of its chains, as documented at
/// redistribution_chains(); else sets the obstacle.
/// @param parameter has its chains with their paths.
void infer_states(const Graph& graph, ParameterChains& parameter);

}  // namespace overlap
