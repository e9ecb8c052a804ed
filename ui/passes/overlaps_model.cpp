#include "ui/passes/overlaps_model.h"

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"

namespace overlap::ui {

OverlapsModel::OverlapsModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    const auto reset = [this] {
        beginResetModel();
        shown_ = OverlapCommands(document_).overlaps();
        endResetModel();
    };
    connect(&document, &Document::planChanged, this, reset);
    connect(&document, &Document::graphChanged, this, reset);
    connect(&document, &Document::evaluationChanged, this, [this] {
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
    const QString asked = QString::fromStdString(describe(shown_.list[row]));
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
            return asked + QStringLiteral(": ") + state;
        default:
            return {};
    }
}

QString OverlapsModel::collective(int row) const {
    const auto index = static_cast<std::size_t>(row);
    const auto evaluation = document_.evaluation();
    if (evaluation && index < evaluation->overlaps.directives.size()) {
        const NodeId start = evaluation->overlaps.directives[index].start;
        if (start != no_node) {
            const std::string_view name = evaluation->undirected->name(start);
            return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        }
    }
    return QString::fromStdString(shown_.list[index].collective);
}

}  // namespace overlap::ui
