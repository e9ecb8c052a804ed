#include "ui/run/run_nodes_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSortFilterProxyModel>

#include "ui/widgets/flat_table.h"

namespace overlap::ui {

RunNodesView::RunNodesView(QWidget* parent)
    : QTreeView(parent), model_(new RunNodesModel(this)), sorted_(new QSortFilterProxyModel(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(RunNodesModel::sort_role);
    setModel(sorted_);
    makeFlatTable(*this, tr("Nodes of the run"));
    setSortingEnabled(true);
    sortByColumn(RunNodesModel::difference_column, Qt::DescendingOrder);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(RunNodesModel::name_column, QHeaderView::Stretch);
    connect(this, &QTreeView::clicked, this, &RunNodesView::choose);
    connect(this, &QTreeView::activated, this, &RunNodesView::choose);
}

void RunNodesView::setNodes(std::shared_ptr<const MeasuredNodes> nodes) {
    model_->setNodes(std::move(nodes));
}

void RunNodesView::choose(const QModelIndex& row) {
    emit nodeChosen(model_->nameOf(sorted_->mapToSource(row).row()));
}

void RunNodesView::keyPressEvent(QKeyEvent* event) {
    if (!event->matches(QKeySequence::Copy)) return QTreeView::keyPressEvent(event);
    QStringList lines;
    for (int row = -1; row < sorted_->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < sorted_->columnCount(); ++column)
            cells.append(row < 0 ? sorted_->headerData(column, Qt::Horizontal).toString()
                                 : sorted_->index(row, column).data(true_text_role).toString());
        lines.append(cells.join(u'\t'));
    }
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

}  // namespace overlap::ui
