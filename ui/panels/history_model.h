#pragma once

#include <QAbstractListModel>
#include <QPointer>
#include <QUndoGroup>
#include <QUndoStack>

#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The edits of the plan that is current, the oldest first: a row for each state that the plan has been in since it was
/// opened, named after the edit that led to it. Below them, where there are any, the same of edits that concern all
/// plans: the cost model, and whose times figures are of.
class HistoryModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    /// @param edits whose active stack is that of the current plan; outlives the model.
    explicit HistoryModel(QUndoGroup& edits, QObject* parent = nullptr);

    void setShared(QUndoStack& stack);
    /// The row of the state that the plan is in; -1 where there is no plan.
    int current() const;
    /// Undoes or redoes edits until the plan, or what all plans share, is in that row's state.
    void goTo(int row);

    int rowCount(const QModelIndex& parent = {}) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();
    int planRows() const;
    QString sharedText(int state) const;

    QUndoGroup& edits_;
    QPointer<QUndoStack> shared_;
};

}  // namespace overlap::ui
