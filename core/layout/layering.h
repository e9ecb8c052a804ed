#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/level_layout.h"

namespace overlap {

/// Ranks of a level's nodes, and which of its edges they were made with.
struct Layering {
    std::vector<std::uint32_t> rank;  ///< row, from above
    std::uint32_t rank_count = 0;
    /// How each edge is drawn: `flowing` ones go from rank to rank in their column's direction; `beside` ones connect
    /// the columns, or boxes of one rank or against the flow; the rest are stubs.
    enum class Use : std::uint8_t { flowing, beside, stub };
    std::vector<Use> use;
    /// Nodes without any edge that is drawn and without a twin.
    std::vector<bool> alone;
};

Layering assign_ranks(const LevelGraph& graph, const LevelLayoutOptions& options);

}  // namespace overlap
