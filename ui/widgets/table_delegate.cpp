#include "ui/widgets/table_delegate.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int cell_margin = 8;
constexpr int row_padding = 9;
constexpr int mark_size = 8;
constexpr int mark_gap = 6;

QColor markOf(const QModelIndex& index) {
    return index.data(Qt::DecorationRole).value<QColor>();
}

}  // namespace

void TableDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    CellDelegate::initStyleOption(option, index);
    // The mark is painted here; the style would set the whole cell aside for a larger one.
    option->features.setFlag(QStyleOptionViewItem::HasDecoration, false);
    option->icon = {};
}

bool TableDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                              const QModelIndex& index) {
    const bool asks = event && view && event->type() == QEvent::ToolTip && index.isValid();
    if (!asks || !index.data(Qt::ToolTipRole).toString().isEmpty())
        return CellDelegate::helpEvent(event, view, option, index);
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    const bool is_elided = sizeHint(option, index).width() > option.rect.width();
    QToolTip::showText(event->globalPos(), is_elided ? shownName(cell.text) : QString(), view, option.rect);
    return true;
}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    // One pixel more: advances are rounded, and eliding is not.
    int width = cell.fontMetrics.horizontalAdvance(cell.text) + 2 * cell_margin + 1;
    if (markOf(index).isValid()) width += mark_size + mark_gap;
    return {width, option.fontMetrics.height() + row_padding};
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QStyleOptionViewItem cell = paintWithoutText(*painter, option, index);
    QRect area = option.rect.adjusted(cell_margin, 0, -cell_margin, 0);
    painter->save();
    if (const QColor mark = markOf(index); mark.isValid()) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(mark);
        painter->drawRoundedRect(QRect(area.left(), area.center().y() - mark_size / 2 + 1, mark_size, mark_size), 2, 2);
        area.setLeft(area.left() + mark_size + mark_gap);
    }
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    painter->drawText(area, static_cast<int>(cell.displayAlignment),
                      elidedName(cell.fontMetrics, cell.text, cell.textElideMode, area.width()));
    painter->restore();
}

}  // namespace overlap::ui
