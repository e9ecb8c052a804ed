#pragma once

#include <QTreeView>

namespace overlap::ui {

/// A table of the job's page: as all of them look, columns as wide as what is in them.
QTreeView* makeJobTable(const QString& name, QAbstractItemModel* model);

}  // namespace overlap::ui
