#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/storage_table.h"

namespace overlap {

/// One piece of memory that is held.
struct AliveStorage {
    NodeId allocator = no_node;    ///< the node that allocates it; a placeholder or get_attr for what is there at first
    NodeId released_by = no_node;  ///< no_node for what is never released
    std::int64_t bytes = 0;
};

/// What is held at one point of MemoryProfile::points.
struct AliveStorages {
    std::int64_t bytes = 0;            ///< of all of it: the profile's point
    std::size_t count = 0;             ///< how many pieces that are
    std::vector<AliveStorage> pieces;  ///< the largest; equals in order of allocation
};

/// What makes up `memory_profile(graph, rule).points[point]`: the same estimator, asked for one point.
/// @param most at most so many pieces are named.
AliveStorages alive_storages(const Graph& graph, StorageRule rule, std::size_t point, std::size_t most);

}  // namespace overlap
