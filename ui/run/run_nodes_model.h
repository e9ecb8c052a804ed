#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "core/calibrate/run_differences.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// The measurements of a run with the graph that ran: a node and its differences.
struct MeasuredNodes {
    std::shared_ptr<const Graph> graph;
    RunDifferences differences;
};

/// Nodes of a run, predicted and measured; the largest difference first.
class RunNodesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        name_column,
        class_column,
        group_column,
        predicted_column,
        measured_column,
        difference_column,
        share_column,
        column_count
    };
    enum Role { sort_role = Qt::UserRole };

    using HarmlessModel::HarmlessModel;

    /// Null for none.
    void setNodes(std::shared_ptr<const MeasuredNodes> nodes);
    /// The node's name, whole and as the graph has it.
    QString nameOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    const NodeDifference& row(int index) const { return nodes_->differences.nodes[static_cast<std::size_t>(index)]; }
    QString text(const NodeDifference& node, int column) const;

    std::shared_ptr<const MeasuredNodes> nodes_;
};

}  // namespace overlap::ui
