#pragma once

#include <QStyledItemDelegate>

namespace overlap::ui {

/// For delegates that write a cell's text themselves, over what the style paints behind it.
class CellDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    /// Paints the cell without its text: selection, hover, alternate rows.
    /// @returns the cell as the style sees it, its text included.
    QStyleOptionViewItem paintWithoutText(QPainter& painter, const QStyleOptionViewItem& option,
                                          const QModelIndex& index) const;
};

}  // namespace overlap::ui
