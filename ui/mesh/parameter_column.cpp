#include "ui/mesh/parameter_column.h"

#include <QLineEdit>
#include <QListView>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <utility>

#include "ui/mesh/device_order_list.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/shown_rows.h"

namespace overlap::ui {
namespace {

constexpr int least_width = 150;

/// Names as wide as the list, whose end tells them apart: what does not fit is left out of the middle.
class NameDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {0, QStyledItemDelegate::sizeHint(option, index).height()};
    }
};

}  // namespace

ParameterColumn::ParameterColumn(QWidget* parent)
    : QWidget(parent),
      parameters_(new MeshParameterModel(this)),
      filtered_(new QSortFilterProxyModel(this)),
      list_(new QListView),
      orders_(new DeviceOrderList) {
    setMinimumWidth(least_width);
    auto* filter = new QLineEdit;
    filter->setPlaceholderText(tr("Parameters"));
    filter->setAccessibleName(tr("Filter parameters"));
    filter->setClearButtonEnabled(true);
    makeSearchField(*filter);
    list_->setObjectName("meshParameters");
    list_->setAccessibleName(tr("Parameters"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setItemDelegate(new NameDelegate(list_));
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    filtered_->setSourceModel(parameters_);
    list_->setModel(filtered_);
    connect(filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        // Another row that becomes current where the chosen one goes is no choice of the user's.
        const QScopedValueRollback quiet(selecting_, true);
        changeShownRows(*list_, [&] { filtered_->setFilterFixedString(text); });
    });
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (!index.isValid() || selecting_) return;
        const MeshParameter& parameter = parameters_->parameter(filtered_->mapToSource(index).row());
        emit chosen(parameter.name, parameter.inputs);
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(filter);
    layout->addWidget(list_, 1);
    layout->addWidget(orders_);
    hide();
}

void ParameterColumn::setParameters(std::vector<MeshParameter> parameters) {
    setVisible(!parameters.empty());
    parameters_->set(std::move(parameters));
}

void ParameterColumn::select(const QString& name) {
    const QScopedValueRollback quiet(selecting_, true);
    for (int row = 0; row < parameters_->rowCount(); ++row)
        if (parameters_->parameter(row).name == name)
            list_->setCurrentIndex(filtered_->mapFromSource(parameters_->index(row)));
}

}  // namespace overlap::ui
