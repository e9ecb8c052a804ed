#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// What one step of a pipeline did: its problems, and the nodes that it added, removed, moved and changed, each kind
/// under a heading with the count. Kinds that do not occur have no heading.
class StepChangesModel : public HarmlessModel<QAbstractItemModel> {
    Q_OBJECT

  public:
    enum Column { name_column, operator_column, place_column, column_count };
    enum Role {
        node_role = Qt::UserRole,  ///< name of the node that a row is about; empty for headings and problems
        severity_role,             ///< Severity of a problem; -1 for other rows
    };

    using HarmlessModel::HarmlessModel;

    /// @param evaluation keeps `outcome`; both may be null for a step of which nothing is known.
    /// @param problems of the step, the worst first.
    void show(std::shared_ptr<const Evaluation> evaluation, const StepOutcome* outcome, std::vector<Problem> problems);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// The problem that a row is about, or null.
    const Problem* problem(const QModelIndex& index) const;

  private:
    /// A heading and what is under it: nodes, or the problems where there are no nodes.
    struct Group {
        QString title;
        const std::vector<NodeChange>* changes = nullptr;
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    const Group* group(const QModelIndex& index) const;
    QVariant changeData(const NodeChange& change, int column, int role) const;
    QVariant problemData(const Problem& problem, int column, int role) const;
    int size(const Group& group) const;

    std::shared_ptr<const Evaluation> evaluation_;
    std::vector<Problem> problems_;
    std::vector<Group> groups_;
};

}  // namespace overlap::ui
