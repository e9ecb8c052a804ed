#include "ui/collectives/collectives_model.h"

#include <QBrush>
#include <algorithm>
#include <array>

#include "core/pipeline/why_exposed.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr std::size_t listed_modules = 24;

bool isNumber(int column) {
    return column == CollectivesModel::time_column || column == CollectivesModel::exposed_column ||
           column == CollectivesModel::could_hide_column || column == CollectivesModel::bytes_column ||
           column == CollectivesModel::start_column;
}

QString string(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

double durationOf(const CollectiveTiming& timing) {
    return timing.end_ms - timing.start_ms;
}

}  // namespace

void CollectivesModel::setRows(std::shared_ptr<const CollectiveRows> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

QString CollectivesModel::nameOf(int row) const {
    return string(rows_->evaluation->graph->name(rows_->timing(static_cast<std::size_t>(row)).start));
}

int CollectivesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !rows_ ? 0 : static_cast<int>(rows_->figures.size());
}

int CollectivesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString CollectivesModel::text(int row, int column) const {
    const CollectiveFigures& figures = rows_->figures[static_cast<std::size_t>(row)];
    const CollectiveTiming& timing = rows_->timing(figures.timing);
    // Where times are not known, all of them are zero, which nobody may take for one.
    const bool known = rows_->evaluation->times_known;
    const auto time = [&](double ms) { return known ? formatTime(ms) : QStringLiteral("–"); };
    const auto timeIfAny = [&](double ms) { return ms > 0 ? formatTime(ms) : QString(); };
    switch (column) {
        case name_column:
            return nameOf(row);
        case time_column:
            return time(durationOf(timing));
        case exposed_column:
            return known ? timeIfAny(timing.exposed_ms) : QStringLiteral("–");
        case could_hide_column:
            return timeIfAny(figures.could_hide_ms);
        case cause_column:
            return causeText(timing.cause);
        case hidden_column: {
            if (figures.hidden_by == no_node) return {};
            const QString name = string(rows_->evaluation->graph->name(figures.hidden_by));
            return figures.hiding_nodes == 1
                       ? name
                       : tr("%1 and %2 more").arg(name, formatCount(std::int64_t{figures.hiding_nodes} - 1));
        }
        case bucket_column:
            return QString::fromStdString(figures.bucket);
        case group_column:
            return rows_->groups[timing.group];
        case bytes_column:
            return formatBytes(static_cast<double>(timing.bytes));
        case start_column:
            return time(timing.start_ms);
        case module_column:
            return QString::fromStdString(figures.module);
    }
    return {};
}

QString CollectivesModel::toolTip(int row, int column) const {
    const CollectiveFigures& figures = rows_->figures[static_cast<std::size_t>(row)];
    const CollectiveTiming& timing = rows_->timing(figures.timing);
    switch (column) {
        case name_column:
            return figures.members.size() > 1 ? tr("%1\n%2 of %3 collectives")
                                                    .arg(nameOf(row), kindText(timing.kind),
                                                         formatCount(static_cast<std::int64_t>(figures.members.size())))
                                              : tr("%1\n%2").arg(nameOf(row), kindText(timing.kind));
        case exposed_column:
        case could_hide_column:
        case cause_column:
            return withUnbrokenUnits(QString::fromStdString(why_exposed(*rows_->evaluation, figures.timing)));
        case hidden_column:
            return figures.hidden_by == no_node ? tr("No compute runs at the same time")
                                                : tr("%1 of it beside compute, most of that beside %2")
                                                      .arg(formatTime(figures.hidden_ms),
                                                           string(rows_->evaluation->graph->name(figures.hidden_by)));
        case module_column: {
            QStringList lines;
            for (const std::string& module : figures.modules) {
                if (static_cast<std::size_t>(lines.size()) == listed_modules) {
                    lines.append(tr("and %1 more").arg(figures.modules.size() - listed_modules));
                    break;
                }
                lines.append(QString::fromStdString(module));
            }
            return lines.join(u'\n');
        }
        default:
            return text(row, column);
    }
}

QVariant CollectivesModel::sortValue(int row, int column) const {
    const CollectiveFigures& figures = rows_->figures[static_cast<std::size_t>(row)];
    const CollectiveTiming& timing = rows_->timing(figures.timing);
    switch (column) {
        case time_column:
            return durationOf(timing);
        case exposed_column:
            return timing.exposed_ms;
        case could_hide_column:
            return figures.could_hide_ms;
        case bytes_column:
            return QVariant::fromValue<qlonglong>(timing.bytes);
        case start_column:
            return timing.start_ms;
        case bucket_column:
            return figures.entry;  // in order of the plan; what is in none comes first
        default:
            return text(row, column);
    }
}

QVariant CollectivesModel::tone(int row, int column) const {
    const Theme& theme = currentTheme();
    const CollectiveTiming& timing = rows_->timing(static_cast<std::size_t>(row));
    if (column == exposed_column && timing.exposed_ms > 0) return QBrush(theme.asText(theme.exposed));
    const bool quiet = column == hidden_column || column == group_column || column == module_column;
    return QBrush(quiet ? theme.asText(theme.dim) : theme.text);
}

QVariant CollectivesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int row = index.row(), column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::ToolTipRole:
            return toolTip(row, column);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return isNumber(column) ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return tone(row, column);
        case Qt::DecorationRole: {
            const std::int32_t entry = rows_->figures[static_cast<std::size_t>(row)].entry;
            return column == bucket_column && entry >= 0
                       ? QVariant(currentTheme().bucket(rows_->hues[static_cast<std::size_t>(entry)]))
                       : QVariant();
        }
        case sort_role:
            return sortValue(row, column);
        default:
            return {};
    }
}

QVariant CollectivesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    struct Heading {
        QString text, help;
    };
    static const std::array<Heading, column_count> headings = {
        Heading{tr("Collective"), tr("The node that starts it in the plan's result")},
        {tr("Time"), tr("On its process group's stream")},
        {tr("Exposed"), tr("For which compute stands still at its wait")},
        {tr("Could hide"), tr("At most so much of it could be hidden by issuing it earlier, or waiting for it later "
                              "where it cannot be, as far as graph and plan allow, with all else as it is. The step "
                              "may gain less, since others wait then: Advice evaluates that")},
        {tr("Cause"), tr("Why it is exposed")},
        {tr("Hidden behind"), tr("Compute that runs at the same time: the one that does for longest")},
        {tr("Bucket"), tr("The entry of the plan that it was merged by")},
        {tr("Process group"), tr("What the group is for, and its name")},
        {tr("Bytes"), tr("The larger of its input and its output")},
        {tr("Start"), tr("When it starts in the step")},
        {tr("Module"), tr("Where the collectives are that it was made of")}};
    const Heading& heading = headings[static_cast<std::size_t>(section)];
    return role == Qt::DisplayRole ? heading.text : heading.help;
}

CollectivesFilter::CollectivesFilter(CollectivesModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), model_(model) {
    setSourceModel(&model);
    setSortRole(CollectivesModel::sort_role);
}

void CollectivesFilter::setText(const QString& text) {
    words_ = text.toLower().split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void CollectivesFilter::setExposedOnly(bool only) {
    exposed_only_ = only;
    invalidateFilter();
}

CollectiveSums CollectivesFilter::sums() const {
    CollectiveSums sums;
    for (int row = 0; row < rowCount(); ++row)
        model_.rows()->addTo(sums, static_cast<std::size_t>(mapToSource(index(row, 0)).row()));
    return sums;
}

bool CollectivesFilter::filterAcceptsRow(int row, const QModelIndex&) const {
    const auto place = static_cast<std::size_t>(row);
    const CollectiveRows& rows = *model_.rows();
    if (exposed_only_ && rows.timing(place).exposed_ms <= 0) return false;
    return std::ranges::all_of(words_, [&](const QString& word) { return rows.search[place].contains(word); });
}

}  // namespace overlap::ui
