#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "core/job/schedule_table.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The job with each schedule, a row each: `overlap job schedules` as a table.
class SchedulesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        name_column,
        step_column,
        difference_column,  ///< to the schedule that is chosen
        bubble_column,
        waiting_column,
        transfer_column,
        ranks_column,
        stages_column,  ///< a rank
        column_count
    };

    using HarmlessModel::HarmlessModel;

    /// @param chosen name of the schedule that the job has now; empty for its own.
    void setRows(std::vector<job::ScheduleRow> rows, const std::string& chosen);
    const std::vector<job::ScheduleRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(const job::ScheduleRow& row, int column) const;
    bool isChosen(const job::ScheduleRow& row) const;

    std::vector<job::ScheduleRow> rows_;
    std::string chosen_;
    std::optional<double> chosen_step_ms_;
};

}  // namespace overlap::ui
