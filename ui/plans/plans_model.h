#pragma once

#include <QAbstractTableModel>

#include "ui/plans/plan_rows.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The plans of the open graph, a row each, the baseline first.
class PlansModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        name_column,
        step_column,
        shared_column,   ///< step with links shared; see hasSharedSteps()
        gain_column,     ///< of the step of a job, against the baseline
        bound_column,    ///< how far the step of a job is above the bound
        exposed_column,  ///< of the step of a job
        peak_column,
        collectives_column,
        lost_column,  ///< where times are wrong in which way it gains nothing any more
        note_column,
        other_column,       ///< step of a job under the other cost model
        other_gain_column,  ///< against the baseline under it
        column_count
    };
    enum Role { sort_role = Qt::UserRole };  ///< number or text that a column is sorted by

    using HarmlessModel::HarmlessModel;

    /// @param other name of the other cost model; empty for none.
    void setRows(std::vector<PlanRow> rows, const QString& other);
    const std::vector<PlanRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    /// Whether any plan has a step with links shared beside the other.
    bool hasSharedSteps() const;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(std::size_t row, int column) const;
    QString lostText(const PlanRow& row) const;
    QString disturbedText(const PlanRow& row) const;
    QString sharedText(const PlanRow& row) const;
    QString headerHelp(int section) const;
    bool hasSharedSteps(std::optional<PlanFigures> PlanRow::*figures) const;
    QString toolTip(std::size_t row, int column) const;
    QVariant sortValue(std::size_t row, int column) const;
    QVariant tone(const PlanRow& row, int column) const;
    /// Milliseconds that the step of a job is longer than the baseline's; nothing where either is not known.
    std::optional<double> difference(const PlanRow& row, std::optional<PlanFigures> PlanRow::*figures) const;

    /// Of each row; where steps differ, so do the texts.
    void writeTimes();

    std::vector<PlanRow> rows_;
    QStringList steps_, shared_steps_, other_steps_;  ///< texts by row, empty where there is none
    QString other_;
};

}  // namespace overlap::ui
