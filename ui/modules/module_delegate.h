#pragma once

#include <QStyledItemDelegate>

namespace overlap::ui {

/// Paints a row of the module tree: name and class, the mark of its bucket, figures at the right. Rows that a search
/// does not find are dimmed.
class ModuleDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace overlap::ui
