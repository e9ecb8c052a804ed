#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/program.h"

namespace overlap {

/// One piece of device memory that a run needs, and where it lies in the run's pool.
struct Buffer {
    NodeId allocator = no_node;
    std::int64_t bytes = 0;    ///< as the graph says; the pool rounds up to MemoryPlan::alignment_bytes
    std::int64_t offset = -1;  ///< in the pool
    /// What is launched first with it: the allocator, where its kernel is launched, or 0 for what a step is given.
    NodeId first = 0;
    NodeId last = 0;  ///< it may be used again for what is launched after this node
};

/// Where every tensor of a run lies. Storages are the corrected ones (StorageRule::corrected): what recomputes has
/// memory of its own. What waits and views return lies where it was written. What kernels compute where they read it
/// (Program::unwritten) has none.
struct MemoryPlan {
    static constexpr std::int64_t alignment_bytes = 512;  ///< what CUDA's allocators align to

    std::vector<Buffer> buffers;
    std::vector<std::uint32_t> first_of_node;  ///< of each node and one more: its outputs' range in `of_output`
    /// Index into `buffers` for each output of each node; no_buffer where it is no tensor on a device.
    std::vector<std::uint32_t> of_output;
    static constexpr std::uint32_t no_buffer = 0xffffffffu;

    std::int64_t live_peak_bytes = 0;  ///< the most that is held at one time
    NodeId live_peak_node = no_node;   ///< the first that runs then
    std::int64_t pool_bytes = 0;       ///< what has to be allocated: the peak with what is lost between pieces
    std::int64_t largest_bytes = 0;    ///< of one buffer
    NodeId largest_node = no_node;     ///< who allocates that
};

/// Rounded up to MemoryPlan::alignment_bytes.
std::int64_t aligned_bytes(std::int64_t bytes);

/// Lays buffers out by their lifetimes in the order of issue: best fit among the gaps, which are merged again.
///
/// What a kernel reads lives until its launch.
/// A buffer that a collective reads or writes lives until that collective is awaited: its stream may lag behind what
/// the host has issued since. What nothing awaits, and what the graph takes or returns, stays to the end.
MemoryPlan plan_memory(const Graph& graph, const Program& program);

}  // namespace overlap
