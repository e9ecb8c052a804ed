#pragma once

#include "ui/widgets/table_delegate.h"

namespace overlap::ui {

/// Cells of the table of advice. What is refused has no figures: the reason has their room, from the first of them to
/// the end of the row.
class AdviceDelegate : public TableDelegate {
    Q_OBJECT

  public:
    using TableDelegate::TableDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace overlap::ui
