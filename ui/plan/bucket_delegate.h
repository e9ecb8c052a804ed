#pragma once

#include <QStyledItemDelegate>

#include "ui/plan/bucket_card.h"

namespace overlap::ui {

class BucketView;

/// Paints cards and places the editor of a title.
class BucketDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit BucketDelegate(BucketView& view);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

    CardGeometry geometry(const QRect& row, const QModelIndex& index) const;

  private:
    void paintChips(QPainter& painter, const CardGeometry& geometry, const QModelIndex& index) const;
    void paintBar(QPainter& painter, const CardGeometry& geometry, const QModelIndex& index) const;
    void paintPreview(QPainter& painter, const CardGeometry& geometry) const;

    BucketView& view_;
};

}  // namespace overlap::ui
