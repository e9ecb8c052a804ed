#include "core/redistribution/split_pieces.h"

#include <algorithm>
#include <span>

#include "core/redistribution/path_operators.h"

namespace overlap {

namespace {

void find_cat(const Graph& graph, const std::unordered_set<NodeId>* along, SplitPieces& pieces) {
    std::vector<NodeId> ends;
    for (NodeId piece : pieces.getitems) {
        if (graph.users(piece).size() != 1) return;
        const NodeId user = graph.users(piece)[0];
        if (graph.target(user).starts_with(pad_operator)) piece = user;
        if (graph.users(piece).size() != 1) return;
        ends.push_back(piece);
    }
    const NodeId cat = graph.users(ends[0])[0];
    if (!graph.target(cat).starts_with("aten.cat.") || (along && !along->contains(cat))) return;
    const std::span<const NodeId> inputs = graph.inputs(cat);
    if (!std::ranges::equal(inputs, ends)) return;
    pieces.cat = cat;
    pieces.cat_dim = dimension_argument(graph, cat, 1, pieces.whole.size());
}

}  // namespace

SplitPieces pieces_of_split(const Graph& graph, NodeId split, const Extents& whole,
                            const std::unordered_set<NodeId>* along) {
    SplitPieces pieces;
    pieces.whole = whole;
    pieces.dim = dimension_argument(graph, split, 2, whole.size());
    pieces.count = static_cast<std::int64_t>(graph.outputs(split).size());
    bool in_order = true;
    for (const NodeId getitem : graph.users(split)) {
        if (!graph.target_info(getitem).is_getitem) return {};
        if (graph.users(getitem).empty() || (along && !along->contains(getitem))) continue;
        pieces.getitems.push_back(getitem);
        pieces.indices.push_back(integer_argument(graph, getitem, 1, -1));
        in_order = in_order && pieces.indices.back() == static_cast<std::int64_t>(pieces.indices.size()) - 1;
    }
    if (in_order && static_cast<std::int64_t>(pieces.getitems.size()) == pieces.count && pieces.count > 1) {
        find_cat(graph, along, pieces);
    }
    return pieces;
}

}  // namespace overlap
