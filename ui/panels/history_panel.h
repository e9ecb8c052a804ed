#pragma once

#include <QListView>

class QUndoGroup;
class QUndoStack;

namespace overlap::ui {

class HistoryModel;

/// The edits of the current plan, and below them those of what all plans share. A click or Enter goes to the state
/// after an edit: those behind it are undone, and can be redone until the plan is edited.
class HistoryPanel : public QListView {
    Q_OBJECT

  public:
    explicit HistoryPanel(QUndoGroup& edits, QWidget* parent = nullptr);

    /// Lists edits of what all plans share below those of the plan; whoever owns them may be gone earlier.
    void addShared(QUndoStack& stack);

  protected:
    QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index, const QEvent* event) const override;

  private:
    void goTo(const QModelIndex& row);
    void follow();

    HistoryModel* model_;
};

}  // namespace overlap::ui
