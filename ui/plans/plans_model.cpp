#include "ui/plans/plans_model.h"

#include <QBrush>
#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/pipeline/disturbed_times.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/times_apart.h"
#include "ui/widgets/plan_colours.h"

namespace overlap::ui {
namespace {

const QString not_known = QStringLiteral("–");

bool isNumber(int column) {
    return column != PlansModel::name_column && column != PlansModel::lost_column && column != PlansModel::note_column;
}

QString disturbanceName(std::size_t index) {
    const std::string_view name = usual_disturbances()[index].name;
    return QCoreApplication::translate("PlansModel", std::string(name).c_str());
}

QString timeOf(const std::optional<PlanFigures>& figures, double ms) {
    return figures && figures->times_known ? formatTime(ms) : not_known;
}

/// As the toolbar says it, `10.4 % · order kept`; empty where no bound is known.
QString aboveBound(const PlanRow& row) {
    if (!row.gap || !row.gap->none.isEmpty()) return {};
    const QString value = boundValue(*row.gap), kind = boundKind(*row.gap);
    return kind.isEmpty() ? value : QStringLiteral("%1 · %2").arg(value, kind);
}

}  // namespace

void PlansModel::setRows(std::vector<PlanRow> rows, const QString& other) {
    beginResetModel();
    rows_ = std::move(rows);
    other_ = other;
    writeTimes();
    endResetModel();
}

void PlansModel::writeTimes() {
    const auto texts = [this](auto&& step_of) {
        std::vector<double> steps_ms;
        for (const PlanRow& row : rows_)
            if (const std::optional<double> ms = step_of(row)) steps_ms.push_back(*ms);
        QStringList known = formatTimesApart(steps_ms), all;
        for (const PlanRow& row : rows_) all.append(step_of(row) ? known.takeFirst() : QString());
        return all;
    };
    const auto known = [](const std::optional<PlanFigures>& figures) {
        return figures && figures->times_known && !figures->refused;
    };
    steps_ = texts(
        [&](const PlanRow& row) { return known(row.figures) ? std::optional(row.figures->step_ms) : std::nullopt; });
    shared_steps_ = texts(
        [&](const PlanRow& row) { return known(row.figures) ? row.figures->shared_step_ms : std::optional<double>(); });
    other_steps_ = texts(
        [&](const PlanRow& row) { return known(row.other) ? std::optional(row.other->jobStepMs()) : std::nullopt; });
}

int PlansModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

bool PlansModel::hasSharedSteps() const {
    return hasSharedSteps(&PlanRow::figures);
}

bool PlansModel::hasSharedSteps(std::optional<PlanFigures> PlanRow::*figures) const {
    return std::ranges::any_of(rows_,
                               [&](const PlanRow& row) { return row.*figures && (row.*figures)->shared_step_ms; });
}

int PlansModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return other_.isEmpty() ? other_column : column_count;
}

std::optional<double> PlansModel::difference(const PlanRow& row, std::optional<PlanFigures> PlanRow::*figures) const {
    const std::optional<PlanFigures>&of_plan = row.*figures, &of_baseline = rows_.front().*figures;
    if (!of_plan || !of_baseline || of_plan->refused || !of_plan->times_known || row.baseline) return std::nullopt;
    return of_plan->jobStepMs() - of_baseline->jobStepMs();
}

QString PlansModel::text(std::size_t index, int column) const {
    const PlanRow& row = rows_[index];
    const auto at = static_cast<qsizetype>(index);
    const auto known = [](const QString& text) { return text.isEmpty() ? not_known : text; };
    const auto differenceText = [&](std::optional<PlanFigures> PlanRow::*figures) {
        const std::optional<double> ms = difference(row, figures);
        return ms ? formatDifference(*ms, Unit::Time) : QString();
    };
    if (column == name_column) return QString::fromStdString(row.plan.name);
    if (column == note_column) return QString::fromStdString(row.plan.notes).simplified();
    if (!row.figures) return column == step_column ? tr("…") : QString();
    const bool of_other = column == other_column || column == other_gain_column;
    const bool refused = of_other ? row.other && row.other->refused : row.figures->refused;
    if (refused) return column == step_column || column == other_column ? tr("refused") : QString();
    switch (column) {
        case step_column:
            return known(steps_[at]);
        case shared_column:
            return shared_steps_[at];
        case gain_column:
            return differenceText(&PlanRow::figures);
        case bound_column:
            return aboveBound(row);
        case exposed_column:
            return timeOf(row.figures, row.figures->exposed_ms);
        case peak_column:
            return formatBytes(static_cast<double>(row.figures->peak_bytes));
        case collectives_column:
            return formatCount(static_cast<std::int64_t>(row.figures->collectives));
        case lost_column:
            return lostText(row);
        case other_column:
            return known(other_steps_[at]);
        case other_gain_column:
            return differenceText(&PlanRow::other);
        default:
            return {};
    }
}

QString PlansModel::lostText(const PlanRow& row) const {
    QStringList names;
    if (losesWithLinksShared(row, rows_.front())) names.append(tr("links shared"));
    for (const std::size_t index : losesDisturbed(row, rows_.front())) names.append(disturbanceName(index));
    return names.join(QStringLiteral(", "));
}

/// The step and what it gains in each of the usual disturbances, a line each.
QString PlansModel::disturbedText(const PlanRow& row) const {
    QStringList lines{hasSharedSteps() ? tr("With links shared, where the times that are shown are wrong:")
                                       : tr("Where the times that are shown are wrong:")};
    for (std::size_t index = 0; index < row.disturbed_ms.size(); ++index) {
        QString line = tr("%1: %2").arg(disturbanceName(index), formatTime(row.disturbed_ms[index]));
        if (!row.baseline && index < rows_.front().disturbed_ms.size())
            line += QStringLiteral("  ") +
                    formatDifference(row.disturbed_ms[index] - rows_.front().disturbed_ms[index], Unit::Time);
        lines.append(line);
    }
    return lines.join(u'\n');
}

/// How far the step with links shared is from that of the baseline.
QString PlansModel::sharedText(const PlanRow& row) const {
    QString text =
        tr("The step of a job, %1, whose process groups share the links they go over; Step takes each group to "
           "have a link of its own")
            .arg(formatExactTime(row.figures->jobStepMs()));
    if (!row.baseline && rows_.front().figures)
        text += tr(". To the baseline: %1")
                    .arg(formatDifference(row.figures->jobStepMs() - rows_.front().figures->jobStepMs(), Unit::Time));
    return text;
}

QString PlansModel::toolTip(std::size_t index, int column) const {
    const PlanRow& row = rows_[index];
    if (row.figures && row.figures->refused) return tr("The plan is refused; Problems says why where it is shown");
    if (column == note_column) return QString::fromStdString(row.plan.notes);
    if (column == shared_column && row.figures && row.figures->shared_step_ms) return sharedText(row);
    if (column == bound_column && row.gap) return boundHelp(*row.gap);
    const QString exact = column == step_column && row.figures && row.figures->times_known
                              ? formatExactTime(row.figures->step_ms)
                              : QString();
    if (column <= lost_column && column != name_column && !row.disturbed_ms.empty())
        return exact.isEmpty() ? disturbedText(row) : exact + u'\n' + disturbedText(row);
    if (!exact.isEmpty()) return exact;
    if ((column == other_column || column == other_gain_column) && losesUnderOther(row, rows_.front()))
        return tr("Faster than the baseline by the times that are shown, and not under %1: what this plan gains "
                  "depends on the machine")
            .arg(other_);
    return text(index, column);
}

QVariant PlansModel::sortValue(std::size_t index, int column) const {
    const PlanRow& row = rows_[index];
    const double last = HUGE_VAL;  // what has no figures comes behind what has
    const bool refused = !row.figures || row.figures->refused;
    switch (column) {
        case step_column:
            return refused ? last : row.figures->step_ms;
        case shared_column:  // the step, where both are the same
            return refused ? last : row.figures->jobStepMs();
        case bound_column:
            return row.gap && row.gap->none.isEmpty() ? row.gap->share : last;
        case exposed_column:
            return refused ? last : row.figures->exposed_ms;
        case peak_column:
            return refused ? last : static_cast<double>(row.figures->peak_bytes);
        case collectives_column:
            return refused ? last : static_cast<double>(row.figures->collectives);
        case gain_column:
            return difference(row, &PlanRow::figures).value_or(row.baseline ? 0 : last);
        case other_column:
            return !row.other || row.other->refused ? last : row.other->jobStepMs();
        case other_gain_column:
            return difference(row, &PlanRow::other).value_or(row.baseline ? 0 : last);
        default:
            return text(index, column);
    }
}

QVariant PlansModel::tone(const PlanRow& row, int column) const {
    const Theme& theme = currentTheme();
    if (row.figures && row.figures->refused && column != name_column) return QBrush(theme.asText(theme.caution));
    const bool of_other = column == other_column || column == other_gain_column;
    if (column == shared_column) return QBrush(theme.asText(theme.exposed));  // as in the toolbar
    if (column == lost_column) return QBrush(theme.asText(theme.caution));
    if (column == bound_column && row.gap && row.gap->isBelow()) return QBrush(theme.asText(theme.exposed));
    if (of_other && losesUnderOther(row, rows_.front())) return QBrush(theme.asText(theme.caution));
    if (column != gain_column && column != other_gain_column) return QBrush(theme.text);
    const auto ms = difference(row, column == gain_column ? &PlanRow::figures : &PlanRow::other);
    return QBrush(theme.asText(!ms || *ms == 0 ? theme.dim : *ms < 0 ? theme.hidden : theme.caution));
}

QVariant PlansModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto at = static_cast<std::size_t>(index.row());
    const PlanRow& row = rows_[at];
    const bool is_number = isNumber(index.column());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return text(at, index.column());
        case Qt::DecorationRole:
            if (index.column() != name_column || row.plan.colour == PlanColour::none) return {};
            return hueOf(row.plan.colour);
        case Qt::ToolTipRole:
            return toolTip(at, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return is_number ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return tone(row, index.column());
        case sort_role:
            return sortValue(at, index.column());
        default:
            return {};
    }
}

QString PlansModel::headerHelp(int section) const {
    if (section == lost_column)
        return tr(
            "What a plan gains should not depend on the times being right: where links or compute are a fifth "
            "slower or faster, it is no faster than the baseline. The figures stand in the tooltips of the row");
    if (section == shared_column)
        return tr("The step of a job, whose process groups share the links they go over; empty where that is Step");
    if (section == bound_column)
        return tr(
            "How far the step of a job is above the best there can be, whose bound is that of plans that keep the "
            "order of heavy compute, or of those in any order. The tooltips of the row say why no step is below it");
    const bool of_shared = section == gain_column || section == exposed_column;
    const bool of_job = of_shared ? hasSharedSteps() : section >= other_column && hasSharedSteps(&PlanRow::other);
    return of_job ? tr("Of the step of a job: the one with links shared, where that is another than Step") : QString();
}

QVariant PlansModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return headerHelp(section);
    if (role != Qt::DisplayRole) return {};
    const bool shared = hasSharedSteps(), other_shared = hasSharedSteps(&PlanRow::other);
    const std::array<QString, column_count> headings{
        tr("Plan"),
        tr("Step"),
        tr("With links shared"),
        shared ? tr("To baseline, shared") : tr("To baseline"),
        tr("Above bound"),
        shared ? tr("Exposed, shared") : tr("Exposed"),
        tr("Peak"),
        tr("Collectives"),
        tr("Gains nothing with"),
        tr("Note"),
        other_shared ? tr("Step under %1, shared").arg(other_) : tr("Step under %1").arg(other_),
        tr("To baseline there")};
    return headings[static_cast<std::size_t>(section)];
}

}  // namespace overlap::ui
