#pragma once

#include <QTreeView>

namespace overlap::ui {

/// A table of the job's page: as all of them look, columns as wide as what is in them.
QTreeView* makeJobTable(const QString& name, QAbstractItemModel* model);

/// The text of a row's first column has the room of all columns where the others have none, as where a row says why it
/// has no figures.
void spanRowsWithoutFigures(QTreeView& table);

}  // namespace overlap::ui
