#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::memory {

/// What a node has to do with the gathering of a parameter.
enum class GatherRole : std::uint8_t {
    none,
    chain,   ///< on the way from the sharded parameter to its gathered value
    output,  ///< the gathered value that the model computes with
    view,    ///< a forward view of it, which shares its memory
};

/// The roles of all nodes, see UnshardFinder.
/// @param pass for refusals, where torchtitan raises.
std::vector<GatherRole> gather_roles(const Graph& graph, std::string_view pass);

}  // namespace overlap::memory
