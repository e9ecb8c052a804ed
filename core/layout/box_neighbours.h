#pragma once

#include <functional>
#include <vector>

#include "core/layout/box_tree.h"

namespace overlap {

/// What flows between one box and the others that are drawn, exactly; for the selection.
struct BoxNeighbours {
    std::vector<LevelEdge> incoming;  ///< ordered by `from`
    std::vector<LevelEdge> outgoing;  ///< ordered by `to`
};

/// @param box a box that is drawn.
/// @param shown the box that is drawn for an operation: itself, or the collapsed box around it.
BoxNeighbours neighbours_of(const Graph& graph, const BoxTree& tree, BoxId box,
                            const std::function<BoxId(BoxId operation)>& shown);

}  // namespace overlap
