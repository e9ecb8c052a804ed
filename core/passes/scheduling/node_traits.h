#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::scheduling {

/// What the scheduler often needs to know of a node.
struct NodeTraits {
    bool compute : 1 = false;  ///< counted in flops
    bool cheap : 1 = false;    ///< a view or pointwise operator
    /// The target's text contains "c10" or "_dtensor": torch does not run such nodes to reach a collective.
    bool communication_text : 1 = false;
};

/// Traits of all nodes.
std::vector<NodeTraits> node_traits(const Graph& graph);

/// A node leads to no target.
inline constexpr std::uint32_t leads_to_none = std::numeric_limits<std::uint32_t>::max();

/// For each node the number of the first of `targets` that it leads to, its own if it is one
/// (torch's `_calculate_domination_index`).
/// @param targets ascending.
std::vector<std::uint32_t> first_target_reached(const Graph& graph, std::span<const NodeId> targets);

}  // namespace overlap::scheduling
