#pragma once

#include <cstdint>
#include <span>

#include "core/graph/graph.h"
#include "core/predict/fused_kernels.h"
#include "core/predict/kernel_buffers.h"

namespace overlap {

/// Fills in what each kernel reads and writes.
/// @param regions as of fused_kernels(). @param made has the operators and the loops of all kernels.
void count_kernel_bytes(const Graph& graph, std::span<const std::int32_t> regions, const KernelBuffers& buffers,
                        FusedKernels& made);

}  // namespace overlap
