#include "ui/mesh/mesh_parameters.h"

namespace overlap::ui {

void MeshParameterModel::set(std::vector<MeshParameter> parameters) {
    beginResetModel();
    parameters_ = std::move(parameters);
    endResetModel();
}

int MeshParameterModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

QVariant MeshParameterModel::data(const QModelIndex& index, int role) const {
    const MeshParameter& shown = parameter(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return shown.detail.isEmpty() ? shown.name : QStringLiteral("%1 · %2").arg(shown.name, shown.detail);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2").arg(shown.name, shown.detail);
        case Qt::ToolTipRole:
            return shown.help.isEmpty() ? shown.name : shown.help;
        default:
            return {};
    }
}

}  // namespace overlap::ui
