#include "ui/panels/history_panel.h"

#include "ui/panels/history_model.h"
#include "ui/widgets/empty_note.h"

namespace overlap::ui {

HistoryPanel::HistoryPanel(QUndoGroup& edits, QWidget* parent)
    : QListView(parent), model_(new HistoryModel(edits, this)) {
    setObjectName("history");
    setAccessibleName(tr("Edits of the plan"));
    setModel(model_);
    setFrameShape(NoFrame);
    setUniformItemSizes(true);
    sayWhenEmpty(*this, [] { return tr("Nothing was edited yet"); });
    connect(model_, &QAbstractItemModel::modelReset, this, &HistoryPanel::follow);
    connect(this, &QListView::clicked, this, &HistoryPanel::goTo);
    connect(this, &QListView::activated, this, &HistoryPanel::goTo);
    follow();
}

void HistoryPanel::addShared(QUndoStack& stack) {
    model_->setShared(stack);
}

/// The row that is marked says where the plan is: a click beside the rows leaves it, and none is marked beside it.
QItemSelectionModel::SelectionFlags HistoryPanel::selectionCommand(const QModelIndex& index, const QEvent*) const {
    return index.isValid() ? QItemSelectionModel::ClearAndSelect : QItemSelectionModel::NoUpdate;
}

void HistoryPanel::goTo(const QModelIndex& row) {
    model_->goTo(row.row());
    follow();
}

void HistoryPanel::follow() {
    const QModelIndex current = model_->index(model_->current());
    setCurrentIndex(current);
    scrollTo(current);
}

}  // namespace overlap::ui
