#pragma once

#include <vector>

#include "core/graph/module_tree.h"
#include "ui/document/selection.h"

namespace overlap::ui {

/// The modules that are selected, in the order of their tree; without those that it does not have.
std::vector<ModuleTree::ModuleId> selectedModules(const Selection& selection, const ModuleTree& tree);

}  // namespace overlap::ui
