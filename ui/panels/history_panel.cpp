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
    connect(this, &QListView::clicked, this, [this](const QModelIndex& row) { model_->goTo(row.row()); });
    connect(this, &QListView::activated, this, [this](const QModelIndex& row) { model_->goTo(row.row()); });
    follow();
}

void HistoryPanel::addShared(QUndoStack& stack) {
    model_->setShared(stack);
}

void HistoryPanel::follow() {
    const QModelIndex current = model_->index(model_->current());
    setCurrentIndex(current);
    scrollTo(current);
}

}  // namespace overlap::ui
