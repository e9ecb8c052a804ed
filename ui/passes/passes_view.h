#pragma once

#include <QListView>
#include <QStyledItemDelegate>

namespace overlap::ui {

class PassesModel;

/// Paints a step as its switch, its number, its name with the time it took, and its outcome below.
class PassDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// A click on the switch, or the space bar, switches the step.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

    /// Where the switch of a row is.
    static QRect switchArea(const QRect& row);
};

/// The steps of the pipeline as rows that can be switched and dragged.
class PassesView : public QListView {
    Q_OBJECT

  public:
    explicit PassesView(PassesModel& model, QWidget* parent = nullptr);

  signals:
    void menuWanted(const QPoint& position);

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace overlap::ui
