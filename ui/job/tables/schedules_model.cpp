#include "ui/job/tables/schedules_model.h"

#include <QFont>
#include <utility>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

QString stagesText(std::int32_t stages) {
    return stages == 1 ? SchedulesModel::tr("1 stage") : SchedulesModel::tr("%1 stages").arg(formatCount(stages));
}

}  // namespace

void SchedulesModel::setRows(std::vector<job::ScheduleRow> rows, const std::string& chosen) {
    beginResetModel();
    rows_ = std::move(rows);
    chosen_ = chosen;
    chosen_row_.reset();
    for (const job::ScheduleRow& row : rows_)
        if (isChosen(row) && row.step_ms) chosen_row_ = row;
    endResetModel();
}

void SchedulesModel::setStale(bool stale) {
    if (std::exchange(stale_, stale) == stale) return;
    emit headerDataChanged(Qt::Horizontal, name_column, name_column);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

bool SchedulesModel::hasRanksOfChosen(const job::ScheduleRow& row) const {
    return chosen_row_ && row.ranks == chosen_row_->ranks;
}

std::optional<double> SchedulesModel::throughputGain(const job::ScheduleRow& row) const {
    if (!chosen_row_ || !row.step_ms || isChosen(row)) return std::nullopt;
    // All rows do the same work: these stages, as many microbatches, and each pipeline rank as often.
    const auto rank_time_ms = [](const job::ScheduleRow& of) { return *of.step_ms * of.ranks; };
    return rank_time_ms(row) > 0 ? std::optional(rank_time_ms(*chosen_row_) / rank_time_ms(row) - 1) : std::nullopt;
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
    if (role == Qt::ToolTipRole && section == difference_column)
        return tr("Of the step to that of the chosen schedule, where both run on as many ranks");
    if (role == Qt::ToolTipRole && section == throughput_column)
        return tr(
            "What a rank gets done in a second, compared with the chosen schedule: also comparable where a "
            "schedule runs on another number of ranks. What a rank has to hold in memory then is not counted: see "
            "Held");
    if (role == Qt::ToolTipRole && section == held_column)
        return tr(
            "Microbatches whose backward is still to come, at most, on the rank that has most; each of its stages "
            "counts. What their forwards left is told where all stages are given as graphs with a backward");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case name_column:
            return stale_ ? tr("Schedule · evaluating…") : tr("Schedule");
        case step_column:
            return tr("Step");
        case difference_column:
            return tr("Difference");
        case throughput_column:
            return tr("Throughput a rank");
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
        case held_column:
            return tr("Held");
        default:
            return {};
    }
}

QString SchedulesModel::text(const job::ScheduleRow& row, int column) const {
    if (column == name_column) {
        const QString schedule = QString::fromStdString(row.name);
        const QString name = row.is_own ? tr("%1 (as opened)").arg(schedule) : schedule;
        return row.step_ms ? name : tr("%1 · refused: %2").arg(name, QString::fromStdString(row.refusal));
    }
    if (!row.step_ms) return {};
    switch (column) {
        case step_column:
            return formatTime(*row.step_ms);
        case difference_column:
            if (!chosen_row_ || isChosen(row)) return {};
            return hasRanksOfChosen(row) ? formatDifference(*row.step_ms - *chosen_row_->step_ms, Unit::Time)
                                         : tr("other ranks");
        case throughput_column: {
            const std::optional<double> gain = throughputGain(row);
            return gain ? formatDifference(*gain, Unit::Percent) : QString();
        }
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
        case held_column: {
            const QString held = formatCount(row.held_forwards);
            return row.held_bytes
                       ? QStringLiteral("%1 · %2").arg(held, formatBytes(static_cast<double>(*row.held_bytes)))
                       : held;
        }
        default:
            return {};
    }
}

QString SchedulesModel::help(const job::ScheduleRow& row, int column) const {
    if (!row.step_ms) return QString::fromStdString(row.refusal);
    if (column == held_column && !row.held_bytes)
        return tr("Its bytes are not known: only stages given as one graph with a backward tell them");
    if ((column == difference_column || column == throughput_column) && chosen_row_ && !hasRanksOfChosen(row))
        return tr("It runs on %1 pipeline ranks and the chosen one on %2, so that their steps are not comparable; what "
                  "a rank gets done is. A rank has to hold %3 then, and %4 as it is: its memory is not counted")
            .arg(formatCount(row.ranks), formatCount(chosen_row_->ranks), stagesText(row.stages_per_rank),
                 stagesText(chosen_row_->stages_per_rank));
    return tr("Enter uses %1").arg(QString::fromStdString(row.name));
}

/// Invalid where it has none of its own.
QColor SchedulesModel::colour(const job::ScheduleRow& row, int column) const {
    const Theme& theme = currentTheme();
    if (!row.step_ms || stale_) return theme.dim;
    const std::optional<double> gain = throughputGain(row);
    if (!gain || (column != difference_column && column != throughput_column)) return {};
    // More on fewer ranks is no gain where they have not the memory for it.
    if (!hasRanksOfChosen(row)) return theme.dim;
    return theme.asText(*gain >= 0 ? theme.hidden : theme.exposed);
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
            return help(row, column);
        case Qt::FontRole: {
            QFont font = column == name_column ? textFont() : numberFont();
            if (isChosen(row)) font.setWeight(QFont::DemiBold);
            return font;
        }
        case Qt::ForegroundRole:
            if (const QColor own = colour(row, column); own.isValid()) return own;
            return {};
        default:
            return {};
    }
}

}  // namespace overlap::ui
