#include "ui/modules/module_tree_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDrag>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QTimerEvent>
#include <array>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/modules/module_delegate.h"
#include "ui/modules/module_tree_model.h"
#include "ui/plan/drag_picture.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

namespace {

constexpr int scroll_edge = 12;  ///< of the tree's height, where what is dragged scrolls it
constexpr int rest_ms = 600;
constexpr int name_margin = 16;   ///< beside names: what ModuleDelegate leaves, and the mark of the bucket
constexpr int shortest_name = 8;  ///< in letters of average width, also on the deepest level
constexpr int more_margin = 6;    ///< beside how many columns have no room
constexpr int level_indentation = 14, narrow_indentation = 9;
/// Models are seldom deeper; the tree scrolls sideways when levels below these are opened.
constexpr int most_levels = 5;

/// A header that knows how wide a heading is also while its column is hidden.
class HeadingHeader : public QHeaderView {
  public:
    explicit HeadingHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}
    int headingWidth(int column) const { return sectionSizeFromContents(column).width(); }
};

/// Levels of rows that are open below a row.
int openLevels(const QTreeView& tree, const QModelIndex& parent) {
    const QAbstractItemModel& model = *tree.model();
    const int rows = model.rowCount(parent);
    int below = 0;
    for (int row = 0; row < rows; ++row)
        if (const QModelIndex child = model.index(row, 0, parent); tree.isExpanded(child))
            below = std::max(below, openLevels(tree, child));
    return rows > 0 ? below + 1 : 0;
}

}  // namespace

ModuleTreeView::ModuleTreeView(Document& document, ModuleTreeModel& model, QWidget* parent)
    : QTreeView(parent), document_(document), model_(model), more_(new QLabel) {
    setHeader(new HeadingHeader(this));
    more_->setParent(header());  // not its viewport, which a tree that is scrolled sideways moves
    more_->setObjectName("hiddenColumns");
    more_->setProperty("role", "dim");
    header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setModel(&model);
    setItemDelegate(new ModuleDelegate(this));
    setObjectName("moduleTree");
    setAccessibleName(tr("Modules"));
    setSelectionMode(ExtendedSelection);
    setUniformRowHeights(true);
    setDragEnabled(true);
    setAcceptDrops(true);
    setDragDropMode(DragDrop);
    setDropIndicatorShown(false);
    setIndentation(level_indentation);
    setFrameShape(NoFrame);
    setExpandsOnDoubleClick(true);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setSectionsMovable(false);
    connect(&model, &QAbstractItemModel::modelReset, this, &ModuleTreeView::takeModel);
    takeModel();
}

int ModuleTreeView::figureWidth(int column) const {
    const int figure = QFontMetrics(numberFont(smallTextPx)).horizontalAdvance(QStringLiteral("16 061.0")) + 6;
    return std::max(figure, static_cast<const HeadingHeader*>(header())->headingWidth(column));
}

/// Another model: how deep it is.
void ModuleTreeView::takeModel() {
    const int below_root = document_.isOpen() ? static_cast<int>(document_.modules().depth()) : 0;
    levels_ = std::min(below_root + 1, most_levels);
}

void ModuleTreeView::fitColumns() {
    // The least important figure gives way first.
    constexpr std::array figures{ModuleTreeModel::exposed_column, ModuleTreeModel::compute_column,
                                 ModuleTreeModel::communication_column};
    const auto namesWith = [&](int level, int levels) {
        return levels * level + shortest_name * fontMetrics().averageCharWidth() + name_margin;
    };
    // With room for a scroll bar, which comes and goes with what is open.
    const int room = width() - 2 * frameWidth() - verticalScrollBar()->sizeHint().width();
    const auto countWith = [&](int level) {
        int left = room - namesWith(level, levels_);
        std::size_t count = 0;
        while (count < figures.size() && left >= figureWidth(figures[count])) left -= figureWidth(figures[count++]);
        return count;
    };
    // Levels move closer together before a figure gives way.
    const std::size_t count = countWith(narrow_indentation);
    const int level = countWith(level_indentation) == count ? level_indentation : narrow_indentation;
    if (indentation() != level) setIndentation(level);
    int left = viewport()->width();
    for (std::size_t index = 0; index < figures.size(); ++index) {
        const int width = figureWidth(figures[index]);
        setColumnWidth(figures[index], width);
        setColumnHidden(figures[index], index >= count);
        if (index < count) left -= width;
    }
    setColumnWidth(ModuleTreeModel::name_column, std::max(left, namesWith(level, open_levels_)));
    QStringList hidden;
    for (const int figure : figures)
        if (isColumnHidden(figure))
            hidden.append(model_.headerData(figure, Qt::Horizontal, Qt::DisplayRole).toString());
    showHidden(hidden);
}

/// That there is more to see, at the end of the heading of the names, which begins at the left.
void ModuleTreeView::showHidden(const QStringList& columns) {
    more_->setVisible(!columns.isEmpty());
    if (columns.isEmpty()) return;
    more_->setText(tr("+%1").arg(columns.size()));
    more_->setToolTip(tr("No room here for %1: widen the panel").arg(columns.join(QStringLiteral(", "))));
    more_->setAccessibleName(more_->toolTip());
    const QSize size = more_->sizeHint();
    const int seen = std::min(columnWidth(ModuleTreeModel::name_column), viewport()->width());
    more_->setGeometry(seen - size.width() - more_margin, (header()->height() - size.height()) / 2, size.width(),
                       size.height());
}

void ModuleTreeView::updateGeometries() {
    QTreeView::updateGeometries();
    // Rows may have been opened or closed, many at once: what is open is counted when all of them have been.
    opened_.start(0, this);
}

void ModuleTreeView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    fitColumns();
}

QString ModuleTreeView::markDropTarget(const QPoint& global) {
    QModelIndex row;
    if (QApplication::widgetAt(global) == viewport()) {
        const QPoint position = viewport()->mapFromGlobal(global);
        if (position.y() < scroll_edge) verticalScrollBar()->triggerAction(QScrollBar::SliderSingleStepSub);
        if (position.y() >= viewport()->height() - scroll_edge)
            verticalScrollBar()->triggerAction(QScrollBar::SliderSingleStepAdd);
        row = indexAt(position).siblingAtColumn(ModuleTreeModel::name_column);
    }
    const QString module = row.data(ModuleTreeModel::kind_role).toInt() == ModuleTreeModel::module_kind
                               ? row.data(ModuleTreeModel::path_role).toString()
                               : QString();
    if (module.isEmpty()) {
        clearDropTarget();
    } else if (drop_target_ != row) {
        drop_target_ = row;
        resting_.start(rest_ms, this);
        viewport()->update();
    }
    return module;
}

void ModuleTreeView::clearDropTarget() {
    resting_.stop();
    drop_target_ = QModelIndex();
    viewport()->update();
}

void ModuleTreeView::timerEvent(QTimerEvent* event) {
    if (event->timerId() == opened_.timerId()) {
        opened_.stop();
        open_levels_ = openLevels(*this, {});
        return fitColumns();
    }
    if (event->timerId() != resting_.timerId()) return QTreeView::timerEvent(event);
    resting_.stop();
    expand(drop_target_);
}

void ModuleTreeView::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QTreeView::drawRow(painter, option, index);
    if (drop_target_ != index) return;
    painter->setPen(currentTheme().accent);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
}

QStringList ModuleTreeView::selectedModules() const {
    return model_.modulePaths(selectionModel()->selectedIndexes());
}

void ModuleTreeView::drawBranches(QPainter* painter, const QRect& area, const QModelIndex& index) const {
    // Not by a rule of the style sheet: one for the branches would take the arrows away.
    if (selectionModel()->isSelected(index)) painter->fillRect(area, currentTheme().selection());
    QTreeView::drawBranches(painter, area, index);
}

void ModuleTreeView::contextMenuEvent(QContextMenuEvent* event) {
    const QPoint position = event->reason() == QContextMenuEvent::Keyboard
                                ? viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft())
                                : event->globalPos();
    emit moduleMenuWanted(position);
}

void ModuleTreeView::keyboardSearch(const QString& letters) {
    if (!typed_last_.isValid() || typed_last_.hasExpired(QApplication::keyboardInputInterval())) typed_.clear();
    typed_last_.start();
    typed_ += letters;
    const QModelIndex before = currentIndex();
    QTreeView::keyboardSearch(letters);
    const QModelIndex name = currentIndex().siblingAtColumn(ModuleTreeModel::name_column);
    if (currentIndex() != before || name.data().toString().startsWith(typed_, Qt::CaseInsensitive)) return;
    emit refused(
        tr("No open module begins with “%1”: Ctrl+F searches all of them. Keys of the memory rules, such as K, "
           "are pressed in Memory")
            .arg(typed_.toUpper()));
}

void ModuleTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy) || event->matches(QKeySequence::Cut)) {
        // The tree keeps its modules; what is cut here moves when it is put into a bucket.
        if (const QStringList modules = selectedModules(); !modules.isEmpty())
            QApplication::clipboard()->setMimeData(moduleMimeData(modules));
        return event->accept();
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        emit moduleMenuWanted(viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft() + QPoint(24, 0)));
        return event->accept();
    }
    if (event->key() == Qt::Key_Delete) {
        BucketCommands(document_).takeOut(selectedModules());
        return event->accept();
    }
    QTreeView::keyPressEvent(event);
}

void ModuleTreeView::startDrag(Qt::DropActions) {
    const QStringList modules = selectedModules();
    if (modules.isEmpty()) return;
    auto* drag = new QDrag(this);
    drag->setMimeData(moduleMimeData(modules));
    const QPixmap picture = dragPicture(modules, devicePixelRatioF());
    drag->setPixmap(picture);
    drag->setHotSpot(dragHotSpot(picture));
    drag->exec(Qt::MoveAction | Qt::CopyAction, Qt::MoveAction);
}

void ModuleTreeView::dragEnterEvent(QDragEnterEvent* event) {
    if (event->source() != this && !modulesOf(event->mimeData()).isEmpty() && document_.editable())
        event->acceptProposedAction();
}

void ModuleTreeView::dragMoveEvent(QDragMoveEvent* event) {
    if (event->source() != this && document_.editable()) event->acceptProposedAction();
}

void ModuleTreeView::dropEvent(QDropEvent* event) {
    const QStringList modules = modulesOf(event->mimeData());
    if (event->source() == this || modules.isEmpty()) return;
    event->acceptProposedAction();
    BucketCommands(document_).takeOut(modules);
}

}  // namespace overlap::ui
