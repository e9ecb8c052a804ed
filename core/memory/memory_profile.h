#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/storage_table.h"

namespace overlap {

/// Memory over the nodes of a graph, by StorageRule::reference as torch's estimator sees it
/// (torch/_inductor/fx_passes/memory_estimator.py, build_memory_profile; placeholders are never released). What lies on
/// a device of type cpu does not count.
struct MemoryProfile {
    std::int64_t peak_bytes = 0;
    NodeId peak_node = no_node;  ///< the first node that runs at the peak; no_node when that is the start
    /// The reference's list: bytes held at the start, then after the allocation and after the release of each node that
    /// is no placeholder, get_attr or output.
    std::vector<std::int64_t> points;
    /// Bytes held while each node runs (after its allocation); for placeholders the bytes held at the start.
    std::vector<std::int64_t> while_node;
};

MemoryProfile memory_profile(const Graph& graph, StorageRule rule);

}  // namespace overlap
