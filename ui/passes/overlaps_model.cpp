#include "ui/passes/overlaps_model.h"

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"

namespace overlap::ui {

OverlapsModel::OverlapsModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    const auto reset = [this] {
        beginResetModel();
        shown_ = OverlapCommands(document_).overlaps();
        collectives_ = OverlapCommands(document_).collectives();
        endResetModel();
    };
    connect(&document, &Document::planChanged, this, reset);
    connect(&document, &Document::graphChanged, this, reset);
    connect(&document, &Document::evaluationChanged, this, [this] {
        collectives_ = OverlapCommands(document_).collectives();
        if (rowCount() > 0) emit dataChanged(index(0), index(rowCount() - 1));
    });
    reset();
}

int OverlapsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.list.size());
}

QVariant OverlapsModel::trueData(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const std::string& named = shown_.list[row].collective;
    const QString asked = OverlapCommands::words(shown_.list[row], collectives_[row]);
    const auto evaluation = document_.evaluation();
    const bool known = evaluation && row < evaluation->overlaps.directives.size() && !document_.evaluating();
    const bool refused = known && !evaluation->overlaps.directives[row].holds();
    const QString state =
        !known    ? tr("not evaluated yet")
        : refused ? tr("left out: %1").arg(QString::fromStdString(evaluation->overlaps.directives[row].refusal))
                  : tr("holds");
    switch (role) {
        case Qt::DisplayRole:
            return asked;
        case state_role:
            return state;
        case refused_role:
            return refused;
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return asked + QStringLiteral(": ") + state +
                   (named == collectives_[row]
                        ? QString()
                        : tr("\nThe plan names it by its member %1").arg(QString::fromStdString(named)));
        default:
            return {};
    }
}

QString OverlapsModel::collective(int row) const {
    return QString::fromStdString(collectives_[static_cast<std::size_t>(row)]);
}

}  // namespace overlap::ui
