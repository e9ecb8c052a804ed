#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace overlap::ui {

class Document;

/// The nodes of the document's graph, as it was read, that the selected node stands for: the node itself, or the
/// collectives that a pass of the plan has merged into it. None where no node is selected, and of what a pass made
/// anew.
std::vector<NodeId> selectedNodes(Document& document);

}  // namespace overlap::ui
