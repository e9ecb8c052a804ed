#include "ui/widgets/cell_delegate.h"

#include <QApplication>
#include <QStyle>

#include "ui/theme/theme.h"

namespace overlap::ui {

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!(option->displayAlignment & Qt::AlignRight) || index.data(Qt::FontRole).isValid()) return;
    option->font = numberFont();
    option->fontMetrics = QFontMetrics(option->font);
}

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
