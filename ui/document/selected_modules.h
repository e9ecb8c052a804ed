#pragma once

#include <QStringList>
#include <vector>

#include "core/graph/module_tree.h"
#include "ui/document/selection.h"

namespace overlap::ui {

class Document;

/// The modules that are selected, in the order of their tree; without those that it does not have.
std::vector<ModuleTree::ModuleId> selectedModules(const Selection& selection, const ModuleTree& tree);

/// Their paths, in the same order.
QStringList selectedPaths(Document& document);

/// Nodes of the document's graph that are in them, ascending, each once. @param tree of that graph.
std::vector<NodeId> nodesOfSelectedModules(Document& document, const ModuleTree& tree);

}  // namespace overlap::ui
