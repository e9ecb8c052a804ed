#pragma once

#include <QStyledItemDelegate>

namespace overlap::ui {

/// Base of delegates that write a cell's text themselves, over the background that the style paints. What stands at the
/// right are figures: they have the font of numbers in all tables, unless a model gives them another one.
class CellDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    /// Paints the cell without its text: selection, hover, alternate rows.
    /// @returns the cell as the style sees it, its text included.
    QStyleOptionViewItem paintWithoutText(QPainter& painter, const QStyleOptionViewItem& option,
                                          const QModelIndex& index) const;
};

}  // namespace overlap::ui
