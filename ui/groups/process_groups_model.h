#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/views/process_groups.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The process groups of the current evaluation, a row each: what runs on each, how long, and what waits for what.
class ProcessGroupsModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        group_column,
        ranks_column,
        collectives_column,
        time_column,
        exposed_column,
        queue_column,
        column_count
    };
    enum Role {
        name_role = Qt::UserRole,  ///< of the group; a string
        detail_role,               ///< what follows the text in a lower tone
        created_role,              ///< a pass of the plan creates the group
        exposed_role,              ///< something that runs on it is exposed
    };

    explicit ProcessGroupsModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    const ProcessGroupFigures& group(int row) const { return groups_[static_cast<std::size_t>(row)]; }
    /// The row of the group with that name; -1 where there is none.
    int rowOf(const QString& name) const;
    /// The group of the collective that a node of the current evaluation starts or waits for; empty for other nodes.
    QString groupOfNode(const QString& node) const;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();
    QString text(const ProcessGroupFigures& group, int column) const;
    QString toolTip(const ProcessGroupFigures& group, int column) const;

    Document& document_;
    std::shared_ptr<const Evaluation> evaluation_;  ///< what `groups_` points into
    std::vector<ProcessGroupFigures> groups_;
};

/// What serialises on a group, as sentences without full stops: its queue, how long what waits for what, other groups
/// of the same ranks, and which pass is to create it, with its settings and the reason.
QStringList queueSentences(const ProcessGroupFigures& group);

/// `1 rank`, `64 ranks`.
QString rankCount(std::size_t ranks);

/// `130 all-to-alls, 1 all-gather`.
QString kindsText(const ProcessGroupFigures& group);

}  // namespace overlap::ui
