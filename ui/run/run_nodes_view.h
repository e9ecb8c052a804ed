#pragma once

#include <QTreeView>

#include "ui/run/run_nodes_model.h"

class QSortFilterProxyModel;

namespace overlap::ui {

/// The table of a run's nodes: sorted by any column, copied as text.
class RunNodesView : public QTreeView {
    Q_OBJECT

  public:
    explicit RunNodesView(QWidget* parent = nullptr);

    /// Null for none.
    void setNodes(std::shared_ptr<const MeasuredNodes> nodes);

  signals:
    /// The user chose a row.
    void nodeChosen(const QString& name);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void choose(const QModelIndex& row);

    RunNodesModel* model_;
    QSortFilterProxyModel* sorted_;
};

}  // namespace overlap::ui
