#pragma once

#include <QAbstractListModel>
#include <memory>

#include "core/graph/module_tree.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The paths of all modules but the root, to complete what is typed. They are made as they are asked for: a large graph
/// has hundreds of thousands.
class ModulePaths : public HarmlessModel<QAbstractListModel> {
  public:
    using HarmlessModel::HarmlessModel;

    void setModules(std::shared_ptr<const ModuleTree> modules);
    int rowCount(const QModelIndex& parent = {}) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;

    std::shared_ptr<const ModuleTree> modules_;
};

}  // namespace overlap::ui
