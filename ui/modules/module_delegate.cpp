#include "ui/modules/module_delegate.h"

#include <QApplication>
#include <QPainter>

#include "ui/modules/module_tree_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int row_padding = 6;
constexpr int mark_width = 4;
constexpr double dimmed = 0.35;

}  // namespace

QSize ModuleDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {option.fontMetrics.horizontalAdvance(u'0') * 8, option.fontMetrics.height() + row_padding};
}

void ModuleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem plain(option);
    initStyleOption(&plain, index);
    plain.text.clear();
    QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &plain, painter, option.widget);

    const Theme& theme = currentTheme();
    const QColor quiet = option.state.testFlag(QStyle::State_Selected) ? theme.asText(theme.dim) : theme.dim;
    const bool found = index.data(ModuleTreeModel::matches_role).toBool();
    const int kind = index.siblingAtColumn(0).data(ModuleTreeModel::kind_role).toInt();
    painter->save();
    painter->setOpacity(found ? 1 : dimmed);
    const QRect area = option.rect.adjusted(4, 0, -4, 0);
    if (index.column() != ModuleTreeModel::name_column) {
        painter->setFont(numberFont(smallTextPx));
        painter->setPen(quiet);
        painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
        painter->restore();
        return;
    }
    const int bucket = index.data(ModuleTreeModel::bucket_role).toInt();
    const QRect mark(option.rect.right() - mark_width, option.rect.top() + 3, mark_width, option.rect.height() - 6);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    if (kind == ModuleTreeModel::module_kind) {
        painter->setBrush(bucket >= 0 ? theme.bucket(index.data(ModuleTreeModel::hue_role).toUInt()) : theme.line);
        painter->drawRoundedRect(mark, 1.5, 1.5);
    }

    const int right = mark.left() - 6;
    QRect name_area(area.left(), area.top(), std::max(0, right - area.left()), area.height());
    painter->setFont(option.font);
    painter->setPen(kind == ModuleTreeModel::node_kind ? quiet : theme.text);
    const QString name = elidedName(painter->fontMetrics(), index.data().toString(), Qt::ElideRight, name_area.width());
    painter->drawText(name_area, Qt::AlignVCenter, name);

    name_area.setLeft(name_area.left() + painter->fontMetrics().horizontalAdvance(name) + 8);
    painter->setFont(textFont(smallTextPx));
    painter->setPen(quiet);
    const QString class_name = index.data(ModuleTreeModel::class_role).toString();
    if (name_area.width() > 24)
        painter->drawText(name_area, Qt::AlignVCenter,
                          elidedName(painter->fontMetrics(), class_name, Qt::ElideRight, name_area.width()));
    painter->restore();
}

}  // namespace overlap::ui
