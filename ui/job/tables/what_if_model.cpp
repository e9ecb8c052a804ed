#include "ui/job/tables/what_if_model.h"

#include <utility>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

void WhatIfModel::setRows(std::vector<job::WhatIf> rows, std::optional<double> step_ms) {
    beginResetModel();
    rows_ = step_ms ? std::move(rows) : std::vector<job::WhatIf>();
    step_ms_ = step_ms.value_or(0);
    endResetModel();
}

void WhatIfModel::setStale(bool stale) {
    if (std::exchange(stale_, stale) == stale) return;
    emit headerDataChanged(Qt::Horizontal, without_column, without_column);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int WhatIfModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int WhatIfModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant WhatIfModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(
            static_cast<int>((section == without_column ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        return tr(
            "The step if that took no time, or no more than the mean of its like; each by itself, so that the "
            "savings do not add up");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case without_column:
            return stale_ ? tr("Without · evaluating…") : tr("Without");
        case step_column:
            return tr("Step");
        case saves_column:
            return tr("Saves");
        default:
            return tr("Of the step");
    }
}

QString WhatIfModel::text(const job::WhatIf& row, int column) const {
    switch (column) {
        case without_column:
            return QString::fromStdString(row.without);
        case step_column:
            return formatTime(row.step_ms);
        case saves_column:
            return formatTime(step_ms_ - row.step_ms);
        default:
            return formatPercent(row.saved_share);
    }
}

QVariant WhatIfModel::trueData(const QModelIndex& index, int role) const {
    const job::WhatIf& row = rows_[static_cast<std::size_t>(index.row())];
    const bool left = index.column() == without_column;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return text(row, role == Qt::ToolTipRole ? without_column : index.column());
        case Qt::TextAlignmentRole:
            return QVariant(static_cast<int>((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case Qt::FontRole:
            return left ? textFont() : numberFont();
        case Qt::ForegroundRole:
            return stale_ ? QVariant(currentTheme().dim) : QVariant();
        default:
            return {};
    }
}

}  // namespace overlap::ui
