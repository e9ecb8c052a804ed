#pragma once

#include "ui/widgets/cell_delegate.h"

namespace overlap::ui {

/// Cells of a table: text with a margin at both sides, elided where it is too long, behind a mark in the colour of
/// Qt::DecorationRole where the model has one. Rows of all tables are of one height.
class TableDelegate : public CellDelegate {
    Q_OBJECT

  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// A text that is elided is whole in its tool tip, where the model has no other.
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace overlap::ui
