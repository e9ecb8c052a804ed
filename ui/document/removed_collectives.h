#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace overlap::ui {

class Document;

/// Collectives of the document's graph that do not run with the current plan, by its newest evaluation; see
/// core/views/removed_collectives.h. Found once for each evaluation, however many views ask. On the window's thread.
std::vector<NodeId> removedCollectives(const Document& document);

}  // namespace overlap::ui
