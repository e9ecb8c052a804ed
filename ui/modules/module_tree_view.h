#pragma once

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QPersistentModelIndex>
#include <QTreeView>

class QLabel;

namespace overlap::ui {

class Document;
class ModuleTreeModel;

/// The view of the module tree: a source of dragged modules, and a place to drop modules that are to leave their
/// bucket. Names stay readable on every level: where there is little room, figures are left out, bytes first, and below
/// that the tree scrolls sideways. Which figures are shown depends on the model and the width alone: not on what is
/// open or selected, nor on whether the tree scrolls.
class ModuleTreeView : public QTreeView {
    Q_OBJECT

  public:
    ModuleTreeView(Document& document, ModuleTreeModel& model, QWidget* parent);

    QStringList selectedModules() const;

    /// The module of the row at a position of the screen, for what is dragged without the system's drag: the row is
    /// marked, opens when the pointer rests on it, and the tree scrolls at its edges. Empty where there is no module.
    QString markDropTarget(const QPoint& global);
    void clearDropTarget();

    /// Goes to the next open row that begins with what was typed, and says so where there is none.
    void keyboardSearch(const QString& letters) override;

  signals:
    /// A menu of what can be done with the selected modules is wanted at a global position.
    void moduleMenuWanted(const QPoint& position);
    /// Why a key does nothing; one sentence without full stop.
    void refused(const QString& reason);

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
    int figureWidth(int column) const;
    void takeModel();
    void fitColumns();
    void showHidden(const QStringList& columns);

    Document& document_;
    ModuleTreeModel& model_;
    QPersistentModelIndex drop_target_;
    QBasicTimer resting_;
    QBasicTimer opened_;
    QElapsedTimer typed_last_;  ///< letters that follow at once are one word
    QString typed_;
    QLabel* more_;         ///< in the header: how many columns have no room
    int levels_ = 0;       ///< of rows that names have room on, whether they are open or not
    int open_levels_ = 0;  ///< of rows
};

}  // namespace overlap::ui
