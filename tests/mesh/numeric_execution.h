#pragma once

#include <cstddef>
#include <string>

#include "core/mesh/redistribution.h"

namespace overlap::test {

/// How collectives over several mesh dimensions treat parts of unequal size.
enum class MergedParts {
    true_sizes,  ///< every rank sends and receives what it has, as the optimal planner asks for
    /// Gathers are padded and cut as even chunks of the whole communicator: torch's executor. It merges reduce_scatters
    /// only where sizes divide.
    flat_chunks,
};

/// What became of a plan that was run with numbers.
struct ExecutionOutcome {
    std::string problem;   ///< what is wrong after the first bad step; empty when every rank always held what it should
    std::size_t step = 0;  ///< the bad step's index
};

/// Runs the plan over all ranks on a tensor of distinct whole numbers: every rank has its own local tensor, and steps
/// exchange nothing but these, along the groups of their mesh dimensions. After each step every rank must hold what the
/// plan's state says: the layout of shard_layout.h, and partial values whose reduction is the tensor. Knows nothing of
/// planners and their costs.
ExecutionOutcome execute(const RedistributionPlan& plan, const DeviceMesh& mesh, const Extents& tensor_shape,
                         MergedParts merged_parts = MergedParts::true_sizes);

}  // namespace overlap::test
