#pragma once

#include <QAbstractListModel>
#include <vector>

#include "ui/mesh/answers/mesh_inputs.h"

namespace overlap::ui {

/// A tensor of the open graph whose redistribution can be looked at.
struct MeshParameter {
    QString name;    ///< such as `layers.0.attention.wq.weight`
    QString detail;  ///< a figure that is worth a line, such as "saves 0.4 ms"
    QString help;    ///< the chain of collectives in words, for the tool tip
    MeshInputs inputs;
    QString chosen{};  ///< the order that the current plan has for it; empty for none
};

/// The list of them.
class MeshParameterModel : public QAbstractListModel {
    Q_OBJECT

  public:
    using QAbstractListModel::QAbstractListModel;

    void set(std::vector<MeshParameter> parameters);
    /// What the current plan chose for each; empty, or beyond the end of the list, for none.
    void setChosen(const std::vector<QString>& orders);
    const MeshParameter& parameter(int row) const { return parameters_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    std::vector<MeshParameter> parameters_;
};

}  // namespace overlap::ui
