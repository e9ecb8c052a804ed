#include "ui/document/selected_modules.h"

#include <algorithm>

#include "core/views/several_modules.h"
#include "ui/document/document.h"

namespace overlap::ui {

std::vector<ModuleTree::ModuleId> selectedModules(const Selection& selection, const ModuleTree& tree) {
    std::vector<ModuleTree::ModuleId> modules;
    for (const QString& path : selection.modules()) {
        const auto module = path.isEmpty() && tree.exists() ? ModuleTree::root : tree.find(path.toStdString());
        if (module != ModuleTree::no_module) modules.push_back(module);
    }
    std::ranges::sort(modules);
    return modules;
}

QStringList selectedPaths(Document& document) {
    const ModuleTree& tree = document.modules();
    QStringList paths;
    for (const ModuleTree::ModuleId module : selectedModules(document.selection(), tree))
        paths.append(QString::fromStdString(tree.path(module)));
    return paths;
}

std::vector<NodeId> nodesOfSelectedModules(Document& document, const ModuleTree& tree) {
    return nodes_together(*document.graph(), tree, selectedModules(document.selection(), tree));
}

}  // namespace overlap::ui
