#include "ui/run/run_nodes_model.h"

#include <QBrush>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

bool isNumber(int column) {
    return column >= RunNodesModel::predicted_column;
}

/// Of what was predicted; 0 where nothing was.
double shareOf(const NodeDifference& node) {
    return node.predicted_ms > 0 ? node.difference_ms() / node.predicted_ms : 0;
}

QVariant sortValue(const NodeDifference& node, int column, const QString& shown) {
    switch (column) {
        case RunNodesModel::predicted_column:
            return node.predicted_ms;
        case RunNodesModel::measured_column:
            return node.measured_ms;
        case RunNodesModel::difference_column:
            return std::abs(node.difference_ms());
        case RunNodesModel::share_column:
            return std::abs(shareOf(node));
        default:
            return shown;
    }
}

}  // namespace

void RunNodesModel::setNodes(std::shared_ptr<const MeasuredNodes> nodes) {
    beginResetModel();
    nodes_ = std::move(nodes);
    endResetModel();
}

QString RunNodesModel::nameOf(int index) const {
    const std::string_view name = nodes_->graph->name(row(index).node);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

int RunNodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !nodes_ ? 0 : static_cast<int>(nodes_->differences.nodes.size());
}

int RunNodesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString RunNodesModel::text(const NodeDifference& node, int column) const {
    switch (column) {
        case class_column: {
            const std::string_view name = compute_class_name(node.compute_class);
            return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace(u'_', u' ');
        }
        case group_column:
            return QString::fromStdString(node.process_group);
        case predicted_column:
            return formatTime(node.predicted_ms);
        case measured_column:
            return formatTime(node.measured_ms);
        case difference_column:
            return formatDifference(node.difference_ms(), Unit::Time);
        case share_column:
            return node.predicted_ms > 0 ? formatDifference(shareOf(node), Unit::Percent) : QString();
    }
    return {};
}

QVariant RunNodesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const NodeDifference& node = row(index.row());
    const int column = index.column();
    const auto shown = [&] { return column == name_column ? nameOf(index.row()) : text(node, column); };
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return shown();
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            return isNumber(column) ? QVariant(numberFont()) : QVariant();
        case Qt::ForegroundRole:
            return QBrush(isNumber(column) || column == name_column ? currentTheme().text
                                                                    : currentTheme().asText(currentTheme().dim));
        case sort_role:
            return sortValue(node, column, shown());
        default:
            return {};
    }
}

QVariant RunNodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case name_column:
            return tr("Node");
        case class_column:
            return tr("Class");
        case group_column:
            return tr("Process group");
        case predicted_column:
            return tr("Predicted");
        case measured_column:
            return tr("Measured");
        case difference_column:
            return tr("Difference");
        case share_column:
            return tr("of predicted");
    }
    return {};
}

}  // namespace overlap::ui
