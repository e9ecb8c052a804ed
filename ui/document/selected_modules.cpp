#include "ui/document/selected_modules.h"

#include <algorithm>

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

}  // namespace overlap::ui
