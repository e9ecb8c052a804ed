#include "ui/job/job_table.h"

#include <QHeaderView>

#include "ui/widgets/flat_table.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int narrowest_column = 52;

}  // namespace

QTreeView* makeJobTable(const QString& name, QAbstractItemModel* model) {
    auto* table = new QTreeView;
    table->setModel(model);
    table->setItemDelegate(new TableDelegate(table));
    makeFlatTable(*table, name);
    table->header()->setMinimumSectionSize(narrowest_column);
    table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    return table;
}

}  // namespace overlap::ui
