#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::experts {

/// What computes the two halves of a module in one direction, and what of it depends on what.
struct ChunkedRegion {
    std::string root;  ///< path of the module
    bool is_backward = false;
    /// Nodes of both halves, in the order of the graph; below, a node of the region is its place in this list.
    std::vector<NodeId> nodes;
    std::vector<std::uint8_t> chunk;          ///< 0 or 1, by node
    std::array<std::uint32_t, 2> node_count;  ///< of each half
    /// Of each node, one behind the other: the nodes of the region, of either half, that it takes its inputs from, also
    /// where only nodes of no region lie between. Those of node n begin at first_dependency[n] and end at the next.
    std::vector<std::uint32_t> dependency_list, first_dependency;

    std::span<const std::uint32_t> dependencies(std::uint32_t node) const {
        return std::span(dependency_list)
            .subspan(first_dependency[node], first_dependency[node + 1] - first_dependency[node]);
    }
    /// Such as `"layers.1.moe" (forward)`, for messages.
    std::string text() const;
};

/// The regions whose module matches a shell-style pattern, in the order of their first node (torchtitan's
/// `collect_chunked_regions` and `_body_deps`).
/// @pre nodes stand behind their inputs.
/// @throws PassRefusal of `pass` where a node of a half does not say of which half or module, as the reference raises.
std::vector<ChunkedRegion> chunked_regions(const Graph& graph, std::string_view module_pattern, std::string_view pass);

}  // namespace overlap::experts
