#include "ui/advice/advice_model.h"

#include <QBrush>
#include <algorithm>
#include <tuple>

#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

QString text(const std::string& of) {
    return QString::fromStdString(of);
}

bool isNumber(int column) {
    return column == AdviceModel::step_column || column == AdviceModel::shared_column ||
           column == AdviceModel::exposed_column || column == AdviceModel::peak_column;
}

}  // namespace

void AdviceModel::clear() {
    if (rows_.empty()) return;
    beginResetModel();
    rows_.clear();
    endResetModel();
}

void AdviceModel::add(const AdviceRow& row) {
    const auto rank = [this](const AdviceRow& of) {
        return std::tuple(!of.effect.refusal.empty(), beyondLimit(of) > 0, job_step_ms(of.effect));
    };
    const auto place = std::ranges::upper_bound(rows_, rank(row), {}, rank);
    const auto at = static_cast<int>(place - rows_.begin());
    const bool shared = hasSharedSteps();
    beginInsertRows({}, at, at);
    rows_.insert(place, row);
    endInsertRows();
    if (shared != hasSharedSteps()) emit headerDataChanged(Qt::Horizontal, shared_column, exposed_column);
}

void AdviceModel::setLimit(std::int64_t limit_bytes, std::int64_t peak_bytes) {
    if (limit_bytes == limit_bytes_ && peak_bytes == peak_bytes_) return;
    limit_bytes_ = limit_bytes;
    peak_bytes_ = peak_bytes;
    const std::vector<AdviceRow> rows = rows_;
    clear();
    for (const AdviceRow& row : rows) add(row);
}

std::int64_t AdviceModel::beyondLimit(const AdviceRow& row) const {
    const std::int64_t beyond = peak_bytes_ + row.effect.peak_bytes - limit_bytes_;
    return limit_bytes_ > 0 && row.effect.peak_bytes > 0 ? std::max<std::int64_t>(beyond, 0) : 0;
}

int AdviceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

bool AdviceModel::hasSharedSteps() const {
    return std::ranges::any_of(rows_, [](const AdviceRow& row) { return row.effect.shared_step_ms.has_value(); });
}

int AdviceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString AdviceModel::verdict(const AdviceRow& row) const {
    if (!row.effect.refusal.empty()) return tr("refused: %1").arg(ui::text(row.effect.refusal));
    if (!isOffered(row)) return tr("not worth it");
    QString text = tr("make it ↵");
    if (const std::int64_t beyond = beyondLimit(row))
        text += tr(" · %1 over the limit").arg(formatBytes(static_cast<double>(beyond)));
    QStringList problems;
    for (const Problem& problem : row.effect.new_problems) problems.append(ui::text(problem.title));
    problems.removeDuplicates();
    return problems.isEmpty() ? text : text + tr(" · new: %1").arg(problems.join(QStringLiteral(", ")));
}

bool AdviceModel::isRefused(const QModelIndex& index) const {
    return index.isValid() && !rows_[static_cast<std::size_t>(index.row())].effect.refusal.empty();
}

bool AdviceModel::isOffered(const AdviceRow& row) {
    return row.effect.refusal.empty() && (row.worthwhile || row.advice.problem);
}

Qt::ItemFlags AdviceModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags all = HarmlessModel::flags(index);
    return isRefused(index) ? all & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable) : all;
}

QString AdviceModel::text(const AdviceRow& row, int column) const {
    if (isNumber(column) && !row.effect.refusal.empty()) return QStringLiteral("–");
    switch (column) {
        case change_column:
            return ui::text(row.advice.text);
        case collective_column:
            return ui::text(row.advice.problem ? row.advice.problem->title : row.advice.collective);
        case step_column:
            return formatDifference(row.effect.step_ms, Unit::Time);
        case shared_column:
            // Where the change adds nothing to shared links, a job's step differs by as much.
            return formatDifference(job_step_ms(row.effect), Unit::Time);
        case exposed_column:
            return formatDifference(row.effect.exposed_ms, Unit::Time);
        case peak_column:
            return formatDifference(static_cast<double>(row.effect.peak_bytes), Unit::Bytes);
        default:
            return verdict(row);
    }
}

QString AdviceModel::toolTip(const AdviceRow& row, int column) const {
    if (!row.effect.refusal.empty() && column == verdict_column) return ui::text(row.effect.refusal);
    if (!row.effect.refusal.empty()) return ui::text(row.advice.text) + u'\n' + verdict(row);
    if (column != verdict_column) return text(row, column);
    if (!isOffered(row))
        return tr("It neither shortens the step by %1 %, by which runs of one job differ, nor frees %2 % of the peak "
                  "for no "
                  "more time")
            .arg(QString::number(worthwhile_share * 100), QString::number(worthwhile_peak_share * 100));
    QStringList lines{tr("Make this change in the plan; Ctrl+Z takes it back")};
    if (const std::int64_t beyond = beyondLimit(row))
        lines.append(
            tr("It takes the peak %1 beyond the limit of %2")
                .arg(formatBytes(static_cast<double>(beyond)), formatBytes(static_cast<double>(limit_bytes_))));
    for (const Problem& problem : row.effect.new_problems)
        lines.append(tr("New problem, %1: %2").arg(ui::text(problem.title), ui::text(problem.message)));
    return lines.join(u'\n');
}

QVariant AdviceModel::tone(const AdviceRow& row, int column) {
    const Theme& theme = currentTheme();
    if (!isOffered(row)) return QBrush(theme.asText(theme.dim));
    if (column == verdict_column) return QBrush(theme.asText(theme.accent));
    const double change = column == step_column      ? row.effect.step_ms
                          : column == shared_column  ? job_step_ms(row.effect)
                          : column == exposed_column ? row.effect.exposed_ms
                          : column == peak_column    ? static_cast<double>(row.effect.peak_bytes)
                                                     : 0;
    if (!isNumber(column)) return QBrush(column == collective_column ? theme.asText(theme.dim) : theme.text);
    return QBrush(theme.asText(change == 0 ? theme.dim : change < 0 ? theme.hidden : theme.caution));
}

QVariant AdviceModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const AdviceRow& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case Qt::ToolTipRole:
            return toolTip(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return isNumber(index.column()) ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return tone(row, index.column());
        default:
            return {};
    }
}

QVariant AdviceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == shared_column)
        return tr(
            "The change of a job's step, whose process groups share the links they go over. Rows are in its "
            "order, and what is worth it is so by it; the step beside it takes each group to have a link of its "
            "own");
    if (role == Qt::ToolTipRole && section == exposed_column && hasSharedSteps())
        return tr("The change of the exposed time of the step %1").arg(linksSharedLabel());
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case change_column:
            return tr("Change");
        case collective_column:
            return tr("For");
        case step_column:
            return tr("Step");
        case shared_column:
            return linksSharedLabel();
        case exposed_column:
            return hasSharedSteps() ? tr("Exposed, shared") : tr("Exposed");
        case peak_column:
            return tr("Peak");
        default:
            return QString();
    }
}

}  // namespace overlap::ui
