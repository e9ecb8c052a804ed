#include "ui/mesh/mesh_parameters.h"

#include <QRegularExpression>

namespace overlap::ui {

void MeshParameterModel::set(std::vector<MeshParameter> parameters) {
    beginResetModel();
    parameters_ = std::move(parameters);
    endResetModel();
}

void MeshParameterModel::setChosen(const std::vector<QString>& orders) {
    for (std::size_t row = 0; row < parameters_.size(); ++row) parameters_[row].chosen = row < orders.size() ? orders[row] : QString();
    if (!parameters_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}

int MeshParameterModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

QVariant MeshParameterModel::data(const QModelIndex& index, int role) const {
    const MeshParameter& shown = parameter(index.row());
    const QString chosen = shown.chosen.isEmpty() ? QString() : tr("stored as %1").arg(shown.chosen);
    switch (role) {
        case Qt::DisplayRole: {
            const QString name = chosen.isEmpty() ? shown.name : QStringLiteral("✓ ") + shown.name;
            const QString detail = chosen.isEmpty() ? shown.detail : chosen;
            return detail.isEmpty() ? name : QStringLiteral("%1\n%2").arg(name, detail);
        }
        case Qt::AccessibleTextRole:
            return QStringList{shown.name, shown.detail, chosen}.filter(QRegularExpression(".")).join(", ");
        case Qt::ToolTipRole:
            return QStringList{shown.name, shown.help, chosen.isEmpty() ? chosen : tr("The plan: %1").arg(chosen)}
                .filter(QRegularExpression("."))
                .join(u'\n');
        default:
            return {};
    }
}

}  // namespace overlap::ui
