#pragma once

#include <optional>
#include <vector>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// A reduce-scatter input that only pads another tensor: chunks of a split, right-padded with zeros, joined again.
struct PaddedInput {
    NodeId source;                      ///< the tensor that is split
    std::vector<NodeId> packing_nodes;  ///< split, getitems, pads, zeros and the final cat
};

/// torch's `_match_dim0_padded_cat`: matches only the exact packing along dimension 0 with static shapes.
std::optional<PaddedInput> match_padded_input(const GraphEditor& graph, NodeId input, NodeId start);

/// Erases those of `packing_nodes` that are no longer used, in reverse graph order.
void erase_dead_packing_nodes(GraphEditor& graph, std::vector<NodeId> packing_nodes);

}  // namespace overlap
