#include "ui/measure/comparison_model.h"

#include <QBrush>
#include <algorithm>

#include "ui/document/links_shared_step.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

bool isNumber(int column) {
    return column >= ComparisonModel::bytes_column && column < ComparisonModel::remark_column;
}

/// Of either side; of the second where both have it.
const ComparedCollective& anySide(const ComparisonRow& row) {
    return row.after ? *row.after : *row.before;
}

/// Names of a graph's nodes say more than those of kernels.
QString nameOf(const ComparisonRow& row) {
    return text(row.before ? row.before->name : row.after->name);
}

QString timeOf(const std::optional<ComparedCollective>& side, double ComparedCollective::*figure) {
    return side ? formatTime((*side).*figure) : QString();
}

double valueOf(const std::optional<ComparedCollective>& side, double ComparedCollective::*figure) {
    return side ? (*side).*figure : -1;
}

QString changeText(CollectiveChange change) {
    switch (change) {
        case CollectiveChange::same:
            return ComparisonModel::tr("same");
        case CollectiveChange::moved:
            return ComparisonModel::tr("moved");
        case CollectiveChange::changed:
            return ComparisonModel::tr("changed");
        case CollectiveChange::appeared:
            return ComparisonModel::tr("appeared");
        case CollectiveChange::vanished:
            return ComparisonModel::tr("vanished");
        case CollectiveChange::merged:
            return ComparisonModel::tr("merged");
        case CollectiveChange::split:
            return ComparisonModel::tr("split");
    }
    return {};
}

QString remarkOf(const ComparisonRow& row) {
    QStringList parts;
    if (row.cause != DifferenceCause::none)
        parts.append(text(difference_cause_name(row.cause)).replace(u'_', QLatin1Char(' ')));
    if (!row.remark.empty()) parts.append(withUnbrokenUnits(QString::fromStdString(row.remark)));
    if (!row.counterpart.empty())
        parts.append(ComparisonModel::tr("most of it in %1").arg(QString::fromStdString(row.counterpart)));
    return parts.join(QStringLiteral(" · "));
}

QVariant sortValue(const ComparisonRow& row, int column, const QString& shown) {
    switch (column) {
        case ComparisonModel::change_column:
            return static_cast<int>(row.change);
        case ComparisonModel::bytes_column:
            return QVariant::fromValue<qlonglong>(anySide(row).bytes);
        case ComparisonModel::start_column:
            return row.start_change_ms();
        case ComparisonModel::before_column:
            return valueOf(row.before, &ComparedCollective::time_ms);
        case ComparisonModel::after_column:
            return valueOf(row.after, &ComparedCollective::time_ms);
        case ComparisonModel::exposed_before_column:
            return valueOf(row.before, &ComparedCollective::exposed_ms);
        case ComparisonModel::exposed_after_column:
            return valueOf(row.after, &ComparedCollective::exposed_ms);
        default:
            return shown;
    }
}

QBrush toneOf(const ComparisonRow& row, int column) {
    const Theme& theme = currentTheme();
    // What is written alike is of one colour: rounding is nothing to be glad of.
    if (column == ComparisonModel::exposed_after_column && row.before && row.after &&
        row.change != CollectiveChange::same &&
        formatTime(row.before->exposed_ms) != formatTime(row.after->exposed_ms)) {
        if (row.exposed_change_ms() > 0) return theme.asText(theme.exposed);
        if (row.exposed_change_ms() < 0) return theme.asText(theme.hidden);
    }
    const bool quiet = column == ComparisonModel::remark_column || column == ComparisonModel::group_column ||
                       row.change == CollectiveChange::same;
    return quiet ? theme.dim : theme.text;
}

}  // namespace

void ComparisonModel::setSteps(std::shared_ptr<const ComparedSteps> steps) {
    beginResetModel();
    steps_ = std::move(steps);
    endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !steps_ ? 0 : static_cast<int>(steps_->comparison.rows.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString ComparisonModel::text(const ComparisonRow& row, int column) const {
    switch (column) {
        case change_column:
            return changeText(row.change);
        case name_column:
            return nameOf(row);
        case group_column:
            return steps_->groupOf(row);
        case bytes_column:
            return anySide(row).bytes > 0 ? formatBytes(static_cast<double>(anySide(row).bytes)) : QString();
        case start_column:
            return row.before && row.after ? formatDifference(row.start_change_ms(), Unit::Time) : QString();
        case before_column:
            return timeOf(row.before, &ComparedCollective::time_ms);
        case after_column:
            return timeOf(row.after, &ComparedCollective::time_ms);
        case exposed_before_column:
            return timeOf(row.before, &ComparedCollective::exposed_ms);
        case exposed_after_column:
            return timeOf(row.after, &ComparedCollective::exposed_ms);
        case remark_column:
            return remarkOf(row);
    }
    return {};
}

QVariant ComparisonModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ComparisonRow& shown = row(index.row());
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return text(shown, column);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return isNumber(column) ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return toneOf(shown, column);
        case sort_role:
            return sortValue(shown, column, text(shown, column));
        case search_role: {
            QStringList all;
            for (const int searched : {change_column, name_column, group_column, remark_column})
                all.append(text(shown, searched));
            if (shown.after) all.append(QString::fromStdString(shown.after->name));
            return all.join(u'\n');
        }
        default:
            return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const bool measured = steps_ && steps_->measured;
    const bool simulated = measured && steps_->measured->step.trace->header().is_simulated;
    if (role == Qt::ToolTipRole && steps_) {
        if (section == start_column) return tr("How much later it starts in %1").arg(steps_->after);
        if (section == before_column || section == exposed_before_column) return steps_->before;
        if (section == after_column || section == exposed_after_column) return steps_->after;
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case change_column:
            return tr("Change");
        case name_column:
            return tr("Collective");
        case group_column:
            return tr("Process group");
        case bytes_column:
            return tr("Bytes");
        case start_column:
            return tr("Start");
        case before_column:
            return measured ? tr("Predicted") : tr("Before");
        case after_column:
            return simulated ? tr("Simulated") : measured ? tr("Measured") : tr("After");
        case exposed_before_column:
            return tr("Exposed before");
        case exposed_after_column:
            return tr("Exposed after");
        case remark_column:
            return measured ? tr("Cause") : tr("What differs");
    }
    return {};
}

namespace {

/// What both sides write alike is said once.
QString pairText(const QString& label, double before, double after) {
    const QString first = formatTime(before), second = formatTime(after);
    if (first == second) return ComparisonModel::tr("%1 %2 in both").arg(label, first);
    return ComparisonModel::tr("%1 %2 → %3 (%4)")
        .arg(label, first, second, formatDifference(after - before, Unit::Time));
}

QString countsOf(const Comparison& comparison) {
    QStringList counts;
    for (const CollectiveChange change :
         {CollectiveChange::moved, CollectiveChange::changed, CollectiveChange::appeared, CollectiveChange::vanished,
          CollectiveChange::merged, CollectiveChange::split})
        if (const std::uint32_t count = comparison.count(change); count > 0)
            counts.append(QStringLiteral("%1 %2").arg(formatCount(count), changeText(change)));
    return counts.isEmpty() ? ComparisonModel::tr("no collective differs") : counts.join(QStringLiteral(", "));
}

QStringList errorsOf(const ComparedSteps& steps) {
    QStringList parts;
    const auto error = [](const PredictionError& of) {
        return QStringLiteral("±%1 (%2)").arg(formatTime(of.mean_absolute_ms), formatPercent(of.median_relative));
    };
    if (steps.error && steps.error->collectives > 0)
        parts.append(ComparisonModel::tr("predictions off by %1").arg(error(*steps.error)));
    if (steps.times_error && steps.times_error->collectives > 0)
        parts.append(ComparisonModel::tr("with times of %1 %2").arg(steps.times, error(*steps.times_error)));
    if (steps.profile_error && steps.profile_error->from_profile > 0)
        parts.append(ComparisonModel::tr("with this trace's times %1").arg(error(steps.profile_error->error)));
    return parts;
}

}  // namespace

QString comparisonSums(const ComparedSteps& steps) {
    const Comparison& comparison = steps.comparison;
    // One line may have no room for all: what the comparison is for comes first.
    QStringList parts;
    if (!steps.doubt.isEmpty()) parts.append(steps.doubt);
    parts.append(countsOf(comparison));
    const bool shared = steps.shown && std::ranges::any_of(steps.shown->parts, [](const ShownPart& part) {
                            return part.evaluation && sharesLinks(*part.evaluation);
                        });
    parts.append(pairText(shared ? ComparisonModel::tr("step %1").arg(linksSharedLabel()) : ComparisonModel::tr("step"),
                          comparison.before.step_ms, comparison.after.step_ms));
    parts.append(pairText(shared ? exposedLinksSharedLabel() : ComparisonModel::tr("exposed"),
                          comparison.before.exposed_ms, comparison.after.exposed_ms));
    parts += errorsOf(steps);
    parts +=
        QStringList{pairText(ComparisonModel::tr("compute"), comparison.before.compute_ms, comparison.after.compute_ms),
                    pairText(ComparisonModel::tr("communication"), comparison.before.communication_ms,
                             comparison.after.communication_ms)};
    if (const std::optional<double> beside =
            comparison.after.beside_ms ? comparison.after.beside_ms : comparison.before.beside_ms)
        parts.append(ComparisonModel::tr("beside the step %1 of clipping and AdamW").arg(formatTime(*beside)));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace overlap::ui
