#pragma once

#include <QAbstractTableModel>

#include "ui/theme/harmless_model.h"
#include "ui/timeline/alive/alive_tensors.h"

namespace overlap::ui {

/// The tensors that are alive at a moment, as a table.
class AliveModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { size_column, tensor_column, module_column, until_column, column_count };
    enum Role { sort_role = Qt::UserRole };  ///< bytes as a number, else the text

    using HarmlessModel::HarmlessModel;

    void setTensors(AliveTensors tensors);
    const AliveTensors& tensors() const { return tensors_; }
    const AliveTensor& tensor(int row) const { return tensors_.largest[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString textOf(const AliveTensor& tensor, int column) const;

    AliveTensors tensors_;
};

}  // namespace overlap::ui
