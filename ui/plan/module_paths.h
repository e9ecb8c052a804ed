#pragma once

#include <QAbstractListModel>
#include <memory>
#include <vector>

#include "core/graph/module_tree.h"
#include "ui/tasks/latest_task.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The paths of all modules but the root, to complete what is typed: in order, letters alike in either case, so that a
/// QCompleter finds what begins with some letters by bisection. A large graph has hundreds of thousands: they are put
/// in order in the background, and there is none until then; each is made when it is asked for.
class ModulePaths : public HarmlessModel<QAbstractListModel> {
  public:
    using HarmlessModel::HarmlessModel;

    void setModules(std::shared_ptr<const ModuleTree> modules);
    int rowCount(const QModelIndex& parent = {}) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void show(std::shared_ptr<const ModuleTree> modules, std::vector<ModuleTree::ModuleId> order);

    std::shared_ptr<const ModuleTree> modules_;
    std::vector<ModuleTree::ModuleId> order_;
    LatestTask task_;
};

/// The numbered blocks that there are, by their paths, where a path is of one that is not; nothing for other paths. A
/// stage of a job may have the graph of another stage.
QStringList blocksLike(const ModuleTree& tree, const QString& path);

}  // namespace overlap::ui
