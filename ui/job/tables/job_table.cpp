#include "ui/job/tables/job_table.h"

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

void spanRowsWithoutFigures(QTreeView& table) {
    const auto span = [&table] {
        const QAbstractItemModel& model = *table.model();
        for (int row = 0; row < model.rowCount(); ++row) {
            int column = 1;
            while (column < model.columnCount() && model.index(row, column).data().toString().isEmpty()) ++column;
            table.setFirstColumnSpanned(row, {}, column == model.columnCount());
        }
    };
    QObject::connect(table.model(), &QAbstractItemModel::modelReset, &table, span);
    span();
}

}  // namespace overlap::ui
