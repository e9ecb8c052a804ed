#pragma once

#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/predict/fused_kernels.h"

namespace overlap {

/// The kernels that a run launches for a job that compiles so much of its graph: those of core/predict, each in the
/// place of one of its operators. Some operators keep a kernel of their own, because in which order they run is not
/// told by what they read: those that touch memory which is written more than once (in place, or into given tensors)
/// while something else reads it, what a control_deps wraps, and what such nodes read or are read by.
struct LaunchedKernels {
    FusedKernels kernels;
    /// Of each kernel: whether it reads and writes what core/predict says, rather than its node's arguments and result:
    /// kernels that the compiler writes, and products that start from a sum.
    std::vector<bool> compiled;
    /// Of each node: whether nothing writes its result into memory. Empty: of none.
    std::vector<bool> unwritten;
};

LaunchedKernels launched_kernels(const Graph& graph, CompiledScope scope);

}  // namespace overlap
