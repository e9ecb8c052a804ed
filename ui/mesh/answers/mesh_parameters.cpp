#include "ui/mesh/answers/mesh_parameters.h"

#include <QRegularExpression>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

void MeshParameterModel::set(std::vector<MeshParameter> parameters) {
    beginResetModel();
    parameters_ = std::move(parameters);
    endResetModel();
}

void MeshParameterModel::setChosen(const std::vector<QString>& orders) {
    for (std::size_t row = 0; row < parameters_.size(); ++row)
        parameters_[row].chosen = row < orders.size() ? orders[row] : QString();
    if (!parameters_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}

int MeshParameterModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

QVariant MeshParameterModel::data(const QModelIndex& index, int role) const {
    const MeshParameter& shown = parameter(index.row());
    const QString name = shownName(shown.name), detail = shownName(shown.detail);
    const QString chosen = shown.chosen.isEmpty() ? QString() : tr("stored as %1").arg(shownName(shown.chosen));
    switch (role) {
        case Qt::DisplayRole: {
            const QString first = chosen.isEmpty() ? name : QStringLiteral("✓ ") + name;
            const QString second = chosen.isEmpty() ? detail : chosen;
            return second.isEmpty() ? first : QStringLiteral("%1\n%2").arg(first, second);
        }
        case Qt::AccessibleTextRole:
            return QStringList{name, detail, chosen}.filter(QRegularExpression(".")).join(", ");
        case Qt::ToolTipRole:
            return QStringList{name, shownLines(shown.help), chosen.isEmpty() ? chosen : tr("The plan: %1").arg(chosen)}
                .filter(QRegularExpression("."))
                .join(u'\n');
        default:
            return {};
    }
}

}  // namespace overlap::ui
