#include "ui/panels/history_model.h"

#include <QBrush>
#include <QUndoStack>

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

void HistoryModel::goTo(int row) {
    if (edits_.activeStack()) edits_.activeStack()->setIndex(row);
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !edits_.activeStack() ? 0 : edits_.activeStack()->count() + 1;
}

QVariant HistoryModel::trueData(const QModelIndex& index, int role) const {
    const QUndoStack& stack = *edits_.activeStack();
    if (role == Qt::ForegroundRole && index.row() > stack.index()) return QBrush(currentTheme().dim);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    QString text = index.row() == 0 ? tr("As it was opened") : stack.text(index.row() - 1);
    if (index.row() == stack.cleanIndex() && index.row() > 0) text += tr(" · saved");
    if (role == Qt::AccessibleTextRole && index.row() > stack.index()) text += tr(", undone");
    return text;
}

}  // namespace overlap::ui
