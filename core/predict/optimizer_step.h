#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace overlap {

/// What a job does with the gradients that a graph returns, outside of the graph.
struct OptimizerStep {
    std::int64_t gradients = 0;  ///< elements of this rank's gradients; 0: the graph returns none
    std::int64_t bytes = 0;      ///< that clipping and the optimizer read and write
    double time_ms = 0;
};

/// Clipping by the global norm and a fused AdamW, whose states have the gradients' type: the norm reads the gradients,
/// scaling reads and writes them, the optimizer reads parameter, gradient and two moments and writes all but the
/// gradient (torch/optim/adamw.py; torchtitan's default). Their all-reduce of one number is left out.
///
/// Gradients are the floating-point tensors with at least one dimension that the output of a graph with backward nodes
/// returns. @throws InputError where there are gradients and no cost model.
OptimizerStep optimizer_step(const Graph& graph);

/// A step of a job that runs the graph for several microbatches, one after the other, before it clips and updates: the
/// graph's step each time, gradients added to those of earlier microbatches from the second one on (three times their
/// bytes), and once what `beside` is.
/// @param step_ms of the graph. @param beside without gradients where they are not priced. @pre `microbatches` >= 1.
double accumulated_step_ms(double step_ms, std::int64_t microbatches, const OptimizerStep& beside);

}  // namespace overlap
