#pragma once

#include <QAbstractListModel>
#include <QUndoGroup>

#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The edits of the plan that is current, the oldest first: a row for each state that the plan has been in since it was
/// opened, named after the edit that led to it.
class HistoryModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    /// @param edits whose active stack is that of the current plan; outlives the model.
    explicit HistoryModel(QUndoGroup& edits, QObject* parent = nullptr);

    /// The row of the state that the plan is in; -1 where there is no plan.
    int current() const;
    /// Undoes or redoes edits until the plan is in that row's state.
    void goTo(int row);

    int rowCount(const QModelIndex& parent = {}) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();

    QUndoGroup& edits_;
};

}  // namespace overlap::ui
