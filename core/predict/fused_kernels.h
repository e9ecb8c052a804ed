#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/predict/kernel_operators.h"

namespace overlap {

/// A kernel that a compiled graph launches.
struct FusedKernel {
    KernelRole role = KernelRole::none;  ///< `reduction` where it has one
    /// Operators whose results it computes, in graph order. Operators that only pass values on to others are in no
    /// kernel, or rather in each one that needs them.
    std::vector<NodeId> nodes;
    KernelLoops loops;
    std::int64_t bytes_read = 0;     ///< of tensors that it does not compute itself, each once
    std::int64_t bytes_written = 0;  ///< of tensors that something else reads
};

struct FusedKernels {
    std::vector<FusedKernel> kernels;          ///< by their first node
    std::vector<std::int32_t> kernel_of_node;  ///< or -1
};

/// The kernels that a compiler makes of a graph by the rules that decide most in Inductor (core/predict/README.md):
/// pointwise operators are computed where their results are read unless that would read more than it saves; kernels
/// over the same elements that share a tensor become one where no other kernel has to run in between.
///
/// @param regions for each node the number of the region that is compiled as a whole, or -1 for what is not compiled.
/// Only operators of one region are fused; what is not compiled has a kernel for each operator.
FusedKernels fused_kernels(const Graph& graph, std::span<const std::int32_t> regions);

/// All nodes in one region.
FusedKernels fused_kernels(const Graph& graph);

}  // namespace overlap
