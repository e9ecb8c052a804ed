#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/predict/kernel_operators.h"

namespace overlap {

/// A tensor in memory that a kernel reads: what `node` wrote, maybe a part of it.
struct BufferRead {
    NodeId node = no_node;
    NodeId part = no_node;  ///< the view that is read; `node` itself where all of it is
    std::int64_t bytes = 0;

    bool same_place(const BufferRead& other) const { return node == other.node && part == other.part; }
};

/// How a compiled graph keeps its values: which operators write a tensor into memory, and what is read to compute each.
struct KernelBuffers {
    std::vector<KernelOperator> operators;  ///< of each node
    /// Nodes whose values are computed again wherever they are read, and never written.
    std::vector<bool> inlined;
    /// Normalisations of which only the numbers of each row are written, see KernelOperator::has_statistics.
    std::vector<bool> recomputed;
    /// For each node that is not inlined what its kernel reads, inlined operators resolved; each buffer once.
    std::vector<std::vector<BufferRead>> reads;
    /// The node that has this one in its kernel as an epilogue, a sum behind a product, or no_node.
    std::vector<NodeId> epilogue_of;
};

/// Of what a normalisation keeps of each row.
std::int64_t statistics_bytes(const KernelOperator& normalisation);

/// @param regions see fused_kernels().
KernelBuffers kernel_buffers(const Graph& graph, std::span<const std::int32_t> regions);

}  // namespace overlap
