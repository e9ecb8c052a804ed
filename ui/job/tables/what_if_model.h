#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/job/what_if.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The job's step without each thing that makes it longer, the dearest first: `overlap job simulate --what-if` as a
/// table.
class WhatIfModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { without_column, step_column, saves_column, share_column, column_count };

    using HarmlessModel::HarmlessModel;

    /// @param step_ms of the job as it is; nothing where it has none.
    void setRows(std::vector<job::WhatIf> rows, std::optional<double> step_ms);
    /// The job has changed, and what is shown is of before.
    void setStale(bool stale);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(const job::WhatIf& row, int column) const;

    std::vector<job::WhatIf> rows_;
    double step_ms_ = 0;
    bool stale_ = false;
};

}  // namespace overlap::ui
