#include "ui/timeline/alive/alive_model.h"

#include <QFont>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

void AliveModel::setTensors(AliveTensors tensors) {
    beginResetModel();
    tensors_ = std::move(tensors);
    endResetModel();
}

int AliveModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(tensors_.largest.size());
}

int AliveModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant AliveModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == size_column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    return QStringList{tr("Size"), tr("Tensor"), tr("Module"), tr("Held until")}.value(section);
}

QString AliveModel::textOf(const AliveTensor& tensor, int column) const {
    switch (column) {
        case size_column:
            return formatBytes(static_cast<double>(tensor.bytes));
        case tensor_column:
            return tensor.name;
        case module_column:
            return tensor.module;
        default:
            return tensor.until;
    }
}

QVariant AliveModel::trueData(const QModelIndex& index, int role) const {
    const AliveTensor& of_row = tensor(index.row());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return textOf(of_row, index.column());
        case sort_role:
            return index.column() == size_column ? QVariant(of_row.bytes) : QVariant(textOf(of_row, index.column()));
        case Qt::TextAlignmentRole:
            return QVariant((index.column() == size_column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole:
            if (index.column() == size_column) return numberFont(normalTextPx);
            return index.column() == module_column ? QVariant() : QVariant(codeFont(normalTextPx));
        default:
            return {};
    }
}

}  // namespace overlap::ui
