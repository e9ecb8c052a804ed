#pragma once

#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/experts/chunked_regions.h"
#include "core/passes/experts/token_exchanges.h"

namespace overlap::experts {

/// The order in which the nodes of a region are to run, so that one half's exchanges run while the other computes.
struct RegionOrder {
    /// All nodes of the region, each behind the one before it; a node that stands here twice makes the order
    /// impossible, as it is in the reference.
    std::vector<NodeId> sequence;
    /// Copies of token counts to the host, in their order; all but the last of each list need not block.
    std::vector<std::vector<NodeId>> count_copies;
};

/// torchtitan's order (ep_overlap_pass.py, `_build_region_phases`).
/// @param pair_first both halves run up to their first exchange before either is launched.
/// @throws PassRefusal of `pass` where the reference raises a ValueError.
RegionOrder region_order(const Graph& graph, const ChunkedRegion& region, const TokenExchanges& exchanges,
                         bool pair_first, std::string_view pass);

}  // namespace overlap::experts
