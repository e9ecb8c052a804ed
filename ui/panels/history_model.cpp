#include "ui/panels/history_model.h"

#include <QBrush>
#include <QUndoStack>

#include "ui/document/begins_anew.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

HistoryModel::HistoryModel(QUndoGroup& edits, QObject* parent) : HarmlessModel(parent), edits_(edits) {
    connect(&edits, &QUndoGroup::activeStackChanged, this, &HistoryModel::update);
    connect(&edits, &QUndoGroup::indexChanged, this, &HistoryModel::update);
    connect(&edits, &QUndoGroup::undoTextChanged, this, &HistoryModel::update);
    connect(&edits, &QUndoGroup::cleanChanged, this, &HistoryModel::update);
}

void HistoryModel::update() {
    beginResetModel();
    endResetModel();
}

int HistoryModel::current() const {
    return edits_.activeStack() ? edits_.activeStack()->index() : -1;
}

void HistoryModel::setShared(QUndoStack& stack) {
    shared_ = &stack;
    connect(&stack, &QUndoStack::indexChanged, this, &HistoryModel::update);
    connect(&stack, &QObject::destroyed, this, &HistoryModel::update);
    update();
}

void HistoryModel::goTo(int row) {
    if (row < planRows())
        edits_.activeStack()->setIndex(row);
    else if (shared_)
        shared_->setIndex(row - planRows());
}

int HistoryModel::planRows() const {
    return edits_.activeStack() ? edits_.activeStack()->count() + 1 : 0;
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return planRows() + (shared_ && shared_->count() > 0 ? shared_->count() + 1 : 0);
}

QString HistoryModel::sharedText(int state) const {
    const QString text = state == 0 ? tr("Times as the graph was opened") : shared_->text(state - 1);
    const QString of_all = tr("All plans: %1").arg(text);
    return state == shared_->index() ? tr("%1 · now").arg(of_all) : of_all;
}

QVariant HistoryModel::trueData(const QModelIndex& index, int role) const {
    const bool of_plan = index.row() < planRows();
    const QUndoStack& stack = of_plan ? *edits_.activeStack() : *shared_;
    const int state = of_plan ? index.row() : index.row() - planRows();
    const bool undone = state > stack.index();
    if (role == Qt::ForegroundRole && undone) return QBrush(currentTheme().dim);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    const QString opened = stack.property(begins_anew_property).toBool()
                               ? tr("As it was, with earlier edits that can no longer be undone")
                               : tr("As it was opened");
    QString text = !of_plan ? sharedText(state) : state == 0 ? opened : stack.text(state - 1);
    if (of_plan && state == stack.cleanIndex() && state > 0) text += tr(" · saved");
    if (of_plan && state == stack.count() && stack.property(ends_early_property).toBool())
        text += tr(" · edits after it were undone and can no longer be redone");
    if (role == Qt::AccessibleTextRole && undone) text += tr(", undone");
    return text;
}

}  // namespace overlap::ui
