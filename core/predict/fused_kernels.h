#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/predict/kernel_buffers.h"
#include "core/predict/kernel_operators.h"

namespace overlap {

/// What a kernel writes into memory: the result of one of its operators, maybe only the numbers of each row.
struct BufferWrite {
    NodeId node = no_node;
    std::int64_t bytes = 0;
};

/// A kernel that a compiled graph launches.
struct FusedKernel {
    KernelRole role = KernelRole::none;  ///< `reduction` where it has one
    /// Operators whose results it computes, in graph order. Operators that only pass values on to others are in no
    /// kernel, or rather in each one that needs them.
    std::vector<NodeId> nodes;
    KernelLoops loops;
    NodeId place = no_node;          ///< one of `nodes`: where it is launched, see LaunchOrder
    std::int64_t bytes_read = 0;     ///< of tensors that it does not compute itself, each once
    std::int64_t bytes_written = 0;  ///< of tensors that something else reads
    /// Where these bytes are. Of a tensor of which parts are read each part is listed; they may overlap, so that all of
    /// them have more bytes than are read.
    std::vector<BufferRead> reads;
    std::vector<BufferWrite> writes;
};

struct FusedKernels {
    std::vector<FusedKernel> kernels;          ///< by their first node
    std::vector<std::int32_t> kernel_of_node;  ///< or -1
    std::vector<bool> inlined;                 ///< of each node: see KernelBuffers::inlined
};

/// In which order kernels can be launched.
enum class LaunchOrder : std::uint8_t {
    any,  ///< one that their data allow; each stands with its last operator
    /// Each in the place of one of its operators in the graph, and everything else in its own: what it reads was
    /// written and awaited before, and what reads its results comes later.
    of_graph,
};

/// The kernels that a compiler makes of a graph by the rules that decide most in Inductor (core/predict/README.md):
/// pointwise operators are computed where their results are read unless that would read more than it saves; kernels
/// over the same elements that share a tensor become one where no other kernel has to run in between.
///
/// @param regions for each node the number of the region that is compiled as a whole, or -1 for what is not compiled.
/// Only operators of one region are fused; what is not compiled has a kernel for each operator.
FusedKernels fused_kernels(const Graph& graph, std::span<const std::int32_t> regions,
                           LaunchOrder order = LaunchOrder::any);

/// All nodes in one region.
FusedKernels fused_kernels(const Graph& graph);

/// Which part of a kernel's time stands with each of its operators: by what they return.
std::vector<double> parts_of_kernel(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace overlap
