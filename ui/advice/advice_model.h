#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <vector>

#include "ui/advice/advice_search.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// Changes of the plan, what shortens the step most first, then what leads beyond the limit of the peak, what is
/// refused last.
class AdviceModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        change_column,
        collective_column,
        step_column,
        shared_column,  ///< of the steps with links shared; see hasSharedSteps()
        exposed_column,
        peak_column,
        verdict_column,
        column_count
    };

    using HarmlessModel::HarmlessModel;

    void clear();
    void add(const AdviceRow& row);
    /// A limit of the peak that was set: changes that lead beyond it say so, and are behind the others.
    /// @param limit_bytes 0: none. @param peak_bytes of the plan that the rows change.
    void setLimit(std::int64_t limit_bytes, std::int64_t peak_bytes);
    /// By how much a change takes the peak beyond the limit; 0 where it stays within, or adds nothing to it.
    std::int64_t beyondLimit(const AdviceRow& row) const;
    const std::vector<AdviceRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    /// Whether any row has a step with links shared beside the other.
    bool hasSharedSteps() const;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// What is refused cannot be chosen: its last column says why.
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Whether the plan cannot have the change of this row.
    bool isRefused(const QModelIndex& index) const;
    /// Whether a click on the last column makes the change: it helps, or mends a problem, which no figure shows.
    static bool isOffered(const AdviceRow& row);

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(const AdviceRow& row, int column) const;
    QString verdict(const AdviceRow& row) const;
    QString toolTip(const AdviceRow& row, int column) const;
    static QVariant tone(const AdviceRow& row, int column);

    std::vector<AdviceRow> rows_;
    std::int64_t limit_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace overlap::ui
