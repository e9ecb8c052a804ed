#include "ui/plan/module_paths.h"

namespace overlap::ui {

void ModulePaths::setModules(std::shared_ptr<const ModuleTree> modules) {
    beginResetModel();
    modules_ = std::move(modules);
    endResetModel();
}

int ModulePaths::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !modules_ || !modules_->exists()) return 0;
    return static_cast<int>(modules_->module_count()) - 1;
}

QVariant ModulePaths::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole)) return {};
    return QString::fromStdString(modules_->path(static_cast<ModuleTree::ModuleId>(index.row() + 1)));
}

}  // namespace overlap::ui
