#include "ui/job/measured/measured_model.h"

#include <cmath>
#include <utility>

#include "ui/job/measured/measured_words.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

bool isText(int column) {
    return column == MeasuredModel::stage_column || column == MeasuredModel::rank_column;
}

}  // namespace

void MeasuredModel::show(std::shared_ptr<const job::JobPicture> picture) {
    const bool has = picture && picture->measured;
    const int rows = has ? static_cast<int>(picture->measured->ranks.size()) : 0;
    if (rows == rowCount()) {
        picture_ = has ? std::move(picture) : nullptr;
        if (rows > 0) emit dataChanged(index(0, 0), index(rows - 1, column_count - 1));
        return;
    }
    beginResetModel();
    picture_ = has ? std::move(picture) : nullptr;
    endResetModel();
}

quint32 MeasuredModel::mostDifferent(int row) const {
    const job::MeasuredOverJob& measured = *picture_->measured;
    quint32 found = no_reference;
    double most = -1;
    for (std::size_t i = 0; i < measured.spans.size(); ++i) {
        if (measured.spans[i].rank != static_cast<std::uint32_t>(row)) continue;
        const auto by = measured.difference_ms(*picture_->evaluation, measured.spans[i]);
        if (!by || std::abs(*by) <= most) continue;
        most = std::abs(*by);
        found = picture_->first_measured() + static_cast<quint32>(i);
    }
    return found;
}

int MeasuredModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !picture_ ? 0 : static_cast<int>(picture_->measured->ranks.size());
}

int MeasuredModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant MeasuredModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(static_cast<int>((isText(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    const bool help = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !help) return {};
    switch (section) {
        case stage_column:
            return tr("Stage");
        case rank_column:
            return tr("Rank");
        case compute_column:
            return help ? tr("Measured time in which the rank computed, within the job's step") : tr("Computes");
        case standing_column:
            return help ? tr("The rest of the measured step: nothing computed") : tr("Stands still");
        case waiting_column:
            return help ? tr("Of that: before an action whose message had not been sent, where all senders were "
                             "measured")
                        : tr("Waits for peers");
        default:
            return help ? tr("Measured less what is predicted of the job as it is now") : tr("Difference");
    }
}

std::optional<double> MeasuredModel::difference(int row, int column) const {
    const job::MeasuredFigures& of = picture_->measured->ranks[static_cast<std::size_t>(row)];
    if (!of.left_out.empty() || !picture_->measured->not_compared.empty()) return std::nullopt;
    switch (column) {
        case compute_difference_column:
            return of.compute_ms - of.predicted_compute_ms;
        case standing_difference_column:
            return of.standing_ms - of.predicted_standing_ms;
        case waiting_difference_column:
            return of.waiting_ms ? std::optional(*of.waiting_ms - of.predicted_waiting_ms) : std::nullopt;
        default:
            return std::nullopt;
    }
}

QString MeasuredModel::text(int row, int column) const {
    const auto index = static_cast<std::size_t>(row);
    const job::MeasuredFigures& of = picture_->measured->ranks[index];
    if (column == rank_column) return QString::number(picture_->measured->measured->ranks[index].rank);
    if (!of.left_out.empty()) return column == stage_column ? tr("left out") : QString();
    switch (column) {
        case stage_column:
            return QString::fromStdString(picture_->rows[of.figures].title);
        case compute_column:
            return formatTime(of.compute_ms);
        case standing_column:
            return formatTime(of.standing_ms);
        case waiting_column:
            return of.waiting_ms                    ? formatTime(*of.waiting_ms)
                   : picture_->evaluation->pipeline ? tr("not measured")
                                                    : tr("not told");
        default:
            break;
    }
    const std::optional<double> by = difference(row, column);
    return by ? formatDifference(*by, Unit::Time) : QString();
}

QString MeasuredModel::help(int row, int column) const {
    const auto index = static_cast<std::size_t>(row);
    const job::MeasuredFigures& of = picture_->measured->ranks[index];
    const QString file = QString::fromStdString(picture_->measured->measured->ranks[index].file);
    if (!of.left_out.empty()) return tr("%1 %2, so that it is left out").arg(file, QString::fromStdString(of.left_out));
    if (column == waiting_column && !of.waiting_ms)
        return picture_->evaluation->pipeline
                   ? tr("Not all ranks whose messages it waits for were measured, or the trace names no actions")
                   : tr("Of programs a trace does not tell whom a rank waits for");
    const QString lines = tr("%1\nPredicted: computes %2, stands still %3, of that %4 for peers")
                              .arg(file, formatTime(of.predicted_compute_ms), formatTime(of.predicted_standing_ms),
                                   formatTime(of.predicted_waiting_ms));
    return mostDifferent(row) == no_reference
               ? lines
               : lines + u'\n' + tr("Enter goes to the action that differs most from what is predicted");
}

QVariant MeasuredModel::trueData(const QModelIndex& index, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::ToolTipRole:
            return help(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return QVariant(
                static_cast<int>((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case Qt::FontRole:
            return index.column() == stage_column ? textFont() : numberFont();
        case Qt::ForegroundRole: {
            const Theme& theme = currentTheme();
            if (!picture_->measured->ranks[static_cast<std::size_t>(index.row())].left_out.empty()) return theme.dim;
            const std::optional<double> by = difference(index.row(), index.column());
            if (!by || std::abs(*by) < noticed_ms) return {};
            return theme.asText(*by < 0 ? theme.hidden : theme.exposed);
        }
        default:
            return {};
    }
}

}  // namespace overlap::ui
