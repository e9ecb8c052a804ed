#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/measure/compared_steps.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The differences of two steps, a row for each collective, those with the greatest effect first.
class ComparisonModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        change_column,
        name_column,
        group_column,
        bytes_column,
        start_column,  ///< how much later it starts
        before_column,
        after_column,
        exposed_before_column,
        exposed_after_column,
        remark_column,
        column_count
    };
    enum Role {
        sort_role = Qt::UserRole,  ///< number or text, of which a column is sorted by
        search_role,               ///< everything of the row that a filter looks at
    };

    using HarmlessModel::HarmlessModel;

    void setSteps(std::shared_ptr<const ComparedSteps> steps);
    const std::shared_ptr<const ComparedSteps>& steps() const { return steps_; }
    const ComparisonRow& row(int index) const { return steps_->comparison.rows[static_cast<std::size_t>(index)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(const ComparisonRow& row, int column) const;

    std::shared_ptr<const ComparedSteps> steps_;
};

/// What both sides come to and how much differs, as one line.
QString comparisonSums(const ComparedSteps& steps);

}  // namespace overlap::ui
