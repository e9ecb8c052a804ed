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
        ranks_column,
        difference_column,  ///< of the step to that of the schedule that is chosen, on as many ranks
        throughput_column,  ///< what a rank gets done in a second, to that with the schedule that is chosen
        bubble_column,
        waiting_column,
        transfer_column,
        stages_column,  ///< a rank
        held_column,    ///< what a rank holds for backwards that are still to come
        column_count
    };

    using HarmlessModel::HarmlessModel;

    /// @param chosen name of the schedule that the job has now; empty for its own.
    void setRows(std::vector<job::ScheduleRow> rows, const std::string& chosen);
    const std::vector<job::ScheduleRow>& rows() const { return rows_; }
    /// The job has changed, and what is shown is of before.
    void setStale(bool stale);
    bool stale() const { return stale_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(const job::ScheduleRow& row, int column) const;
    QString help(const job::ScheduleRow& row, int column) const;
    QColor colour(const job::ScheduleRow& row, int column) const;
    bool isChosen(const job::ScheduleRow& row) const;
    /// Whether its step does as much work a rank as that of the chosen schedule.
    bool hasRanksOfChosen(const job::ScheduleRow& row) const;
    /// Nothing for the chosen schedule, and where there is none or it cannot run.
    std::optional<double> throughputGain(const job::ScheduleRow& row) const;

    std::vector<job::ScheduleRow> rows_;
    std::string chosen_;
    std::optional<job::ScheduleRow> chosen_row_;  ///< where it can run
    bool stale_ = false;
};

}  // namespace overlap::ui
