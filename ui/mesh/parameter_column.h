#pragma once

#include <QWidget>
#include <vector>

#include "ui/mesh/answers/mesh_parameters.h"

class QListView;
class QSortFilterProxyModel;

namespace overlap::ui {

class DeviceOrderList;

/// The tensors that an open graph offers, with a filter, and the plan's device orders under them. Hidden while there
/// are none.
class ParameterColumn : public QWidget {
    Q_OBJECT

  public:
    explicit ParameterColumn(QWidget* parent = nullptr);

    void setParameters(std::vector<MeshParameter> parameters);
    /// Which orders the current plan has for them; empty for none, one for each parameter.
    void setChosen(const std::vector<QString>& orders) { parameters_->setChosen(orders); }
    /// The list's current row, without chosen(); nothing where no parameter has the name.
    void select(const QString& name);
    DeviceOrderList& orders() { return *orders_; }

  signals:
    /// By the user.
    void chosen(const QString& name, const MeshInputs& inputs);

  private:
    MeshParameterModel* parameters_;
    QSortFilterProxyModel* filtered_;
    QListView* list_;
    DeviceOrderList* orders_;
    bool selecting_ = false;  ///< the list follows what is shown already
};

}  // namespace overlap::ui
