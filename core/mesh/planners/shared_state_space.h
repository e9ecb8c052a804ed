#pragma once

#include <memory>
#include <vector>

#include "core/mesh/planners/state_space.h"

namespace overlap {

/// torch's steps on a mesh of so many dimensions for a tensor of so many, complete and made once for the process: which
/// steps there are depends on no sizes and no costs. So a planner that is asked one question only does not have to
/// find them.
/// @returns nothing for spaces that are too large to be made as a whole; those are found as searches need them.
std::shared_ptr<StateSpace> shared_state_space(int mesh_dims, int tensor_dims, const std::vector<ReduceOp>& reduce_ops);

}  // namespace overlap
