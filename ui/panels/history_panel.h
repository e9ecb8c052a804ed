#pragma once

#include <QListView>

class QUndoGroup;

namespace overlap::ui {

class HistoryModel;

/// The edits of the current plan. A click or Enter goes to the state after an edit: those behind it are undone, and can
/// be redone until the plan is edited.
class HistoryPanel : public QListView {
    Q_OBJECT

  public:
    explicit HistoryPanel(QUndoGroup& edits, QWidget* parent = nullptr);

  private:
    void follow();

    HistoryModel* model_;
};

}  // namespace overlap::ui
