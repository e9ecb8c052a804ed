#include "ui/plans/plans_model.h"

#include <QBrush>
#include <array>
#include <cmath>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

const QString not_known = QStringLiteral("–");

QString timeOf(const std::optional<PlanFigures>& figures, double PlanFigures::*time) {
    if (!figures || !figures->times_known) return not_known;
    return formatTime(*figures.*time);
}

}  // namespace

void PlansModel::setRows(std::vector<PlanRow> rows, const QString& other) {
    beginResetModel();
    rows_ = std::move(rows);
    other_ = other;
    endResetModel();
}

int PlansModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PlansModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return other_.isEmpty() ? other_column : column_count;
}

std::optional<double> PlansModel::difference(const PlanRow& row, std::optional<PlanFigures> PlanRow::*figures) const {
    const std::optional<PlanFigures>&of_plan = row.*figures, &of_baseline = rows_.front().*figures;
    if (!of_plan || !of_baseline || of_plan->refused || !of_plan->times_known || row.baseline) return std::nullopt;
    return of_plan->step_ms - of_baseline->step_ms;
}

QString PlansModel::text(const PlanRow& row, int column) const {
    const auto differenceText = [&](std::optional<PlanFigures> PlanRow::*figures) {
        const std::optional<double> ms = difference(row, figures);
        return ms ? formatDifference(*ms, Unit::Time) : QString();
    };
    if (column == name_column) return QString::fromStdString(row.plan.name);
    if (!row.figures) return column == step_column ? tr("…") : QString();
    const bool of_other = column == other_column || column == other_gain_column;
    const bool refused = of_other ? row.other && row.other->refused : row.figures->refused;
    if (refused) return column == step_column || column == other_column ? tr("refused") : QString();
    switch (column) {
        case step_column:
            return timeOf(row.figures, &PlanFigures::step_ms);
        case gain_column:
            return differenceText(&PlanRow::figures);
        case exposed_column:
            return timeOf(row.figures, &PlanFigures::exposed_ms);
        case peak_column:
            return formatBytes(static_cast<double>(row.figures->peak_bytes));
        case collectives_column:
            return formatCount(static_cast<std::int64_t>(row.figures->collectives));
        case other_column:
            return timeOf(row.other, &PlanFigures::step_ms);
        case other_gain_column:
            return differenceText(&PlanRow::other);
        default:
            return {};
    }
}

QString PlansModel::toolTip(const PlanRow& row, int column) const {
    if (row.figures && row.figures->refused) return tr("The plan is refused; Problems says why where it is shown");
    if ((column == other_column || column == other_gain_column) && losesUnderOther(row, rows_.front()))
        return tr("Faster than the baseline by the times that are shown, and not under %1: what this plan gains "
                  "depends on the machine")
            .arg(other_);
    return text(row, column);
}

QVariant PlansModel::sortValue(const PlanRow& row, int column) const {
    const double last = HUGE_VAL;  // what has no figures comes behind what has
    const bool refused = !row.figures || row.figures->refused;
    switch (column) {
        case step_column:
            return refused ? last : row.figures->step_ms;
        case exposed_column:
            return refused ? last : row.figures->exposed_ms;
        case peak_column:
            return refused ? last : static_cast<double>(row.figures->peak_bytes);
        case collectives_column:
            return refused ? last : static_cast<double>(row.figures->collectives);
        case gain_column:
            return difference(row, &PlanRow::figures).value_or(row.baseline ? 0 : last);
        case other_column:
            return !row.other || row.other->refused ? last : row.other->step_ms;
        case other_gain_column:
            return difference(row, &PlanRow::other).value_or(row.baseline ? 0 : last);
        default:
            return text(row, column);
    }
}

QVariant PlansModel::tone(const PlanRow& row, int column) const {
    const Theme& theme = currentTheme();
    if (row.figures && row.figures->refused && column != name_column) return QBrush(theme.asText(theme.caution));
    const bool of_other = column == other_column || column == other_gain_column;
    if (of_other && losesUnderOther(row, rows_.front())) return QBrush(theme.asText(theme.caution));
    if (column != gain_column && column != other_gain_column) return QBrush(theme.text);
    const auto ms = difference(row, column == gain_column ? &PlanRow::figures : &PlanRow::other);
    return QBrush(theme.asText(!ms || *ms == 0 ? theme.dim : *ms < 0 ? theme.hidden : theme.caution));
}

QVariant PlansModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const PlanRow& row = rows_[static_cast<std::size_t>(index.row())];
    const bool is_number = index.column() != name_column;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return text(row, index.column());
        case Qt::ToolTipRole:
            return toolTip(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return is_number ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return tone(row, index.column());
        case sort_role:
            return sortValue(row, index.column());
        default:
            return {};
    }
}

QVariant PlansModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section != name_column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, column_count> headings{tr("Plan"),
                                                     tr("Step"),
                                                     tr("To baseline"),
                                                     tr("Exposed"),
                                                     tr("Peak"),
                                                     tr("Collectives"),
                                                     tr("Step under %1").arg(other_),
                                                     tr("To baseline there")};
    return headings[static_cast<std::size_t>(section)];
}

}  // namespace overlap::ui
