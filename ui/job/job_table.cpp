#include "ui/job/job_table.h"

#include <QHeaderView>

#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int lowest_table = 24;
constexpr int narrowest_column = 52;

}  // namespace

QTreeView* makeJobTable(const QString& name, QAbstractItemModel* model) {
    auto* table = new QTreeView;
    table->setModel(model);
    table->setItemDelegate(new TableDelegate(table));
    table->setAccessibleName(name);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setAllColumnsShowFocus(true);
    table->setFrameShape(QFrame::NoFrame);
    table->setMinimumHeight(lowest_table);
    table->header()->setSectionsMovable(false);
    table->header()->setMinimumSectionSize(narrowest_column);
    table->header()->setStretchLastSection(false);
    table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    return table;
}

}  // namespace overlap::ui
