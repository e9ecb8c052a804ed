#include "ui/advice/advice_delegate.h"

#include <QHeaderView>
#include <QPainter>
#include <QTreeView>

#include "ui/advice/advice_model.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int cell_margin = 8;

}  // namespace

void AdviceDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto* view = qobject_cast<const QTreeView*>(option.widget);
    const auto* model = qobject_cast<const AdviceModel*>(index.model());
    if (!view || !model || !model->isRefused(index) || index.column() < AdviceModel::step_column)
        return TableDelegate::paint(painter, option, index);
    paintWithoutText(*painter, option, index);
    const QModelIndex verdict = index.siblingAtColumn(AdviceModel::verdict_column);
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, verdict);
    const int left = view->header()->sectionViewportPosition(AdviceModel::step_column) + cell_margin;
    const QRect area(left, option.rect.top(), view->viewport()->width() - left - cell_margin, option.rect.height());
    // Each cell has its part of the one text.
    painter->save();
    painter->setClipRect(option.rect, Qt::IntersectClip);
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                      elidedName(cell.fontMetrics, cell.text, Qt::ElideRight, area.width()));
    painter->restore();
}

}  // namespace overlap::ui
