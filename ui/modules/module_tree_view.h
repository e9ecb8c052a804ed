#pragma once

#include <QBasicTimer>
#include <QHash>
#include <QPersistentModelIndex>
#include <QTreeView>

namespace overlap::ui {

class Document;
class ModuleTreeModel;

/// The view of the module tree: a source of dragged modules, and a place to drop modules that are to leave their
/// bucket. Names stay readable on every level that is open: where there is little room, figures are left out, bytes
/// first, and below that the tree scrolls sideways.
class ModuleTreeView : public QTreeView {
    Q_OBJECT

  public:
    ModuleTreeView(Document& document, ModuleTreeModel& model, QWidget* parent);

    QStringList selectedModules() const;

    /// The module of the row at a position of the screen, for what is dragged without the system's drag: the row is
    /// marked, opens when the pointer rests on it, and the tree scrolls at its edges. Empty where there is no module.
    QString markDropTarget(const QPoint& global);
    void clearDropTarget();

  signals:
    /// A menu of what can be done with the selected modules is wanted at a global position.
    void moduleMenuWanted(const QPoint& position);

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void timerEvent(QTimerEvent* event) override;
    void updateGeometries() override;
    void resizeEvent(QResizeEvent* event) override;
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& area, const QModelIndex& index) const override;

  private:
    int figureWidth(int column);
    void fitColumns();

    Document& document_;
    ModuleTreeModel& model_;
    QPersistentModelIndex drop_target_;
    QBasicTimer resting_;
    QBasicTimer opened_;
    QHash<int, int> headings_;  ///< widths of the columns' headings, by column
    int levels_ = 0;            ///< of rows that are open
};

}  // namespace overlap::ui
