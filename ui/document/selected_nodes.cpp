#include "ui/document/selected_nodes.h"

#include "core/views/members_of_result.h"
#include "ui/document/document.h"

namespace overlap::ui {

std::vector<NodeId> selectedNodes(Document& document) {
    if (!document.isOpen() || document.selection().kind() != Selection::Kind::node) return {};
    const Document::NodePlace place = document.findNode(document.selection().node());
    if (place.node == no_node) return {};
    if (!place.evaluated) return {place.node};
    const auto evaluation = document.evaluation();
    if (const NodeId origin = evaluation->origin[place.node]; origin != no_node) return {origin};
    const Graph& graph = *evaluation->graph;
    const bool waits = graph.target_info(place.node).is_wait;
    const NodeId start = waits ? graph.awaited_start(place.node) : place.node;
    return start == no_node ? std::vector<NodeId>() : MembersOfResult(*evaluation).sources_of(start);
}

}  // namespace overlap::ui
