#pragma once

#include "ui/widgets/elided_box.h"

namespace overlap::ui {

/// The choice among cost models: those that are always there, the open graph's links, and tables of measured times.
class CostBox : public ElidedBox {
    Q_OBJECT

  public:
    explicit CostBox(QWidget* parent = nullptr);

    /// @param id of the model that is chosen.
    /// @param links_problem why the open graph's links cannot be chosen; empty where they can.
    void show(const QString& id, const QString& links_problem);
    /// As if the user had chosen `file` after "Measured table…".
    void chooseTable(const QString& file);

  signals:
    void chosen(const QString& id);

  private:
    void askForTable();
    void addModel(int index, const QString& id);

    QString shown_;
    QString table_;  ///< id of the table that is offered; empty for none
};

}  // namespace overlap::ui
