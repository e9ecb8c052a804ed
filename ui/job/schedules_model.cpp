#include "ui/job/schedules_model.h"

#include <QFont>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

void SchedulesModel::setRows(std::vector<job::ScheduleRow> rows, const std::string& chosen) {
    beginResetModel();
    rows_ = std::move(rows);
    chosen_ = chosen;
    chosen_step_ms_.reset();
    for (const job::ScheduleRow& row : rows_)
        if (isChosen(row)) chosen_step_ms_ = row.step_ms;
    endResetModel();
}

bool SchedulesModel::isChosen(const job::ScheduleRow& row) const {
    return chosen_.empty() ? row.is_own : row.name == chosen_;
}

int SchedulesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SchedulesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant SchedulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(static_cast<int>((section == name_column ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case name_column:
            return tr("Schedule");
        case step_column:
            return tr("Step");
        case difference_column:
            return tr("Difference");
        case bubble_column:
            return tr("Bubble");
        case waiting_column:
            return tr("Waits for peers");
        case transfer_column:
            return tr("Transfer exposed");
        case ranks_column:
            return tr("Pipeline ranks");
        case stages_column:
            return tr("Stages a rank");
        default:
            return {};
    }
}

QString SchedulesModel::text(const job::ScheduleRow& row, int column) const {
    if (column == name_column) {
        const QString name = QString::fromStdString(row.name);
        return row.is_own ? tr("%1 (the job's)").arg(name) : name;
    }
    if (!row.step_ms) return column == step_column ? tr("refused") : QString();
    switch (column) {
        case step_column:
            return formatTime(*row.step_ms);
        case difference_column:
            return chosen_step_ms_ && !isChosen(row) ? formatDifference(*row.step_ms - *chosen_step_ms_, Unit::Time)
                                                     : QString();
        case bubble_column:
            return formatPercent(row.idle_share);
        case waiting_column:
            return formatPercent(row.waiting_share);
        case transfer_column:
            return formatPercent(row.transfer_share);
        case ranks_column:
            return formatCount(row.ranks);
        case stages_column:
            return formatCount(row.stages_per_rank);
        default:
            return {};
    }
}

QVariant SchedulesModel::trueData(const QModelIndex& index, int role) const {
    const job::ScheduleRow& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::TextAlignmentRole:
            return QVariant(
                static_cast<int>((column == name_column ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case Qt::ToolTipRole:
            return row.step_ms ? tr("Enter uses %1").arg(QString::fromStdString(row.name))
                               : QString::fromStdString(row.refusal);
        case Qt::FontRole: {
            QFont font = column == name_column ? textFont() : numberFont();
            if (isChosen(row)) font.setWeight(QFont::DemiBold);
            return font;
        }
        case Qt::ForegroundRole:
            if (!row.step_ms) return currentTheme().dim;
            if (column == difference_column && chosen_step_ms_)
                return currentTheme().asText(*row.step_ms < *chosen_step_ms_ ? currentTheme().hidden
                                                                             : currentTheme().exposed);
            return {};
        default:
            return {};
    }
}

}  // namespace overlap::ui
