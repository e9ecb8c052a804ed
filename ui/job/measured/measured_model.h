#pragma once

#include <QAbstractTableModel>

#include "core/job/view/job_timeline.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// Measured ranks beside what is predicted of them, a row each.
class MeasuredModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        stage_column,
        rank_column,
        compute_column,
        compute_difference_column,
        standing_column,  ///< the rest of the step
        standing_difference_column,
        waiting_column,  ///< of it for peers
        waiting_difference_column,
        column_count
    };

    using HarmlessModel::HarmlessModel;

    void show(std::shared_ptr<const job::JobPicture> picture);
    /// The reference of what differs most in a row's compute; no_reference where nothing is predicted of it.
    quint32 mostDifferent(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(int row, int column) const;
    QString help(int row, int column) const;
    /// Measured less predicted, in ms; nothing where one of them is not known.
    std::optional<double> difference(int row, int column) const;

    std::shared_ptr<const job::JobPicture> picture_;  ///< with something measured, or null
};

}  // namespace overlap::ui
