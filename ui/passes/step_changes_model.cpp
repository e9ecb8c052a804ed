#include "ui/passes/step_changes_model.h"

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

/// Internal id of headings; rows under them have the heading's number.
constexpr quintptr heading = ~quintptr{0};

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

}  // namespace

void StepChangesModel::show(std::shared_ptr<const Evaluation> evaluation, const StepOutcome* outcome,
                            std::vector<Problem> problems) {
    beginResetModel();
    evaluation_ = std::move(evaluation);
    problems_ = std::move(problems);
    groups_.clear();
    if (!problems_.empty()) groups_.push_back({tr("Problems"), nullptr});
    if (outcome) {
        const GraphDifference& difference = *outcome->difference;
        for (const auto& [title, changes] :
             {std::pair{tr("Added"), &difference.added}, std::pair{tr("Removed"), &difference.removed},
              std::pair{tr("Moved"), &difference.moved}, std::pair{tr("Changed"), &difference.changed}})
            if (!changes->empty()) groups_.push_back({title, changes});
    }
    endResetModel();
}

int StepChangesModel::size(const Group& group) const {
    return static_cast<int>(group.changes ? group.changes->size() : problems_.size());
}

const StepChangesModel::Group* StepChangesModel::group(const QModelIndex& index) const {
    return &groups_[index.internalId() == heading ? static_cast<std::size_t>(index.row()) : index.internalId()];
}

QModelIndex StepChangesModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) : heading);
}

QModelIndex StepChangesModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == heading) return {};
    return createIndex(static_cast<int>(child.internalId()), 0, heading);
}

int StepChangesModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(groups_.size());
    return parent.internalId() == heading && parent.column() == 0 ? size(*group(parent)) : 0;
}

int StepChangesModel::columnCount(const QModelIndex&) const {
    return column_count;
}

QVariant StepChangesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Group& shown = *group(index);
    if (index.internalId() == heading) {
        if (role == severity_role) return -1;
        if (index.column() != name_column || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)) return {};
        return QStringLiteral("%1 %2").arg(shown.title, formatCount(size(shown)));
    }
    const auto row = static_cast<std::size_t>(index.row());
    return shown.changes ? changeData((*shown.changes)[row], index.column(), role)
                         : problemData(problems_[row], index.column(), role);
}

QVariant StepChangesModel::changeData(const NodeChange& change, int column, int role) const {
    if (role == node_role) return text(change.name);
    if (role == severity_role) return -1;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    if (column == name_column) return text(change.name);
    if (column == operator_column) return text(change.target);
    if (change.before == no_node) return formatCount(change.after);
    if (change.after == no_node || change.before == change.after) return formatCount(change.before);
    return QStringLiteral("%1 → %2").arg(formatCount(change.before), formatCount(change.after));
}

QVariant StepChangesModel::problemData(const Problem& problem, int column, int role) const {
    if (role == severity_role) return static_cast<int>(problem.severity);
    if (role == Qt::AccessibleTextRole && column == name_column)
        return QStringLiteral("%1: %2").arg(severityName(problem.severity), QString::fromStdString(problem.message));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    return column == name_column ? withUnbrokenUnits(QString::fromStdString(problem.message)) : QString();
}

QVariant StepChangesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == place_column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == place_column)
        return tr("Position in execution order, before → after the step");
    if (role != Qt::DisplayRole) return {};
    return section == name_column ? tr("Node") : section == operator_column ? tr("Operator") : tr("Place");
}

const Problem* StepChangesModel::problem(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == heading || group(index)->changes) return nullptr;
    return &problems_[static_cast<std::size_t>(index.row())];
}

}  // namespace overlap::ui
