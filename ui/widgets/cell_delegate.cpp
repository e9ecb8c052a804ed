#include "ui/widgets/cell_delegate.h"

#include <QApplication>
#include <QStyle>

namespace overlap::ui {

QStyleOptionViewItem CellDelegate::paintWithoutText(QPainter& painter, const QStyleOptionViewItem& option,
                                                    const QModelIndex& index) const {
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    QStyleOptionViewItem plain(cell);
    plain.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &plain, &painter, option.widget);
    return cell;
}

}  // namespace overlap::ui
