#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/scheduling/symbolic_sizes.h"

namespace overlap::scheduling {

/// Index of a collective, a group or a bucket key.
using Index = std::uint32_t;
inline constexpr Index no_index = std::numeric_limits<Index>::max();

/// A collective that the scheduler may move, and what is known of it so far (torch's CollectiveInfo).
struct Collective {
    NodeId start = no_node;
    NodeId wait = no_node;  ///< the first wait in graph order; a coalesced collective has further ones
    Index group = 0;        ///< into CollectiveTable::groups
    /// Collectives of one key may be in one bucket. All that are no plain all-gather, reduce-scatter or all-reduce
    /// share a separate key, as in torch, and are never bucketed.
    Index bucket_key = 0;
    /// Key without the kind: of two with the same, the later is assumed to save its latency. no_index: none.
    Index latency_key = no_index;
    std::int64_t size_bytes = 0;  ///< inputs and output together, half of it for an all-reduce
    double estimated_ms = 0;
    double exposed_ms = 0;       ///< not hidden yet
    double latency_ms = 0;       ///< time of the same collective without data
    std::vector<NodeId> hiding;  ///< nodes that run at the same time, in the order in which they were found
};

/// All collectives of a graph, in order of their first waits.
struct CollectiveTable {
    std::vector<Collective> collectives;
    std::vector<std::string_view> groups;  ///< names, in order of first appearance
    std::vector<Index> by_start;           ///< by node; no_index where it starts none
    std::vector<Index> by_wait;            ///< by node, every wait on a collective; else no_index
    Index bucket_key_count = 0;
    Index unbucketed_key = no_index;  ///< the key that is never bucketed, if any has it
};

/// @param multidtype all-gathers of one group share a key whatever their dtype (a `bucket_mode` that contains
///        "multidtype").
/// @param times_ms time of each node.
/// @throws InputError where torch raises: a wait for no node or behind two getitems, arguments that are not positional;
///         and where the latency of a process group is not known.
CollectiveTable identify_collectives(const Graph& graph, bool multidtype, std::span<const double> times_ms,
                                     const SymbolicSizes& sizes);

}  // namespace overlap::scheduling
