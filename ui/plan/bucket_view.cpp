#include "ui/plan/bucket_view.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_delegate.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

BucketView::BucketView(Document& document, BucketModel& model, DropPreview& preview, QWidget* parent)
    : QListView(parent), document_(document), model_(model), preview_(preview), delegate_(new BucketDelegate(*this)) {
    setModel(&model);
    setItemDelegate(delegate_);
    setObjectName("buckets");
    setAccessibleName(tr("Buckets"));
    setFrameShape(NoFrame);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(EditKeyPressed | DoubleClicked);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(Adjust);
    setDragEnabled(true);
    setAcceptDrops(true);
    setDragDropMode(DragDrop);
    setDropIndicatorShown(false);
    setMouseTracking(true);
    verticalScrollBar()->setSingleStep(20);
    connect(&preview, &DropPreview::changed, this, [this] {
        scheduleDelayedItemsLayout();
        viewport()->update();
        showFigures();
    });
    whenReadingChanges(document, this, [this] { viewport()->update(); });
    connect(&document.selection(), &Selection::changed, this, [this] {
        if (following_) return;
        // A press may begin a drag to a card that is in sight: cards stay where they are until the release.
        if (QGuiApplication::mouseButtons() == Qt::NoButton) return followSelection();
        if (std::exchange(follows_release_, true)) return;
        qApp->installEventFilter(this);
    });
    // Cards of another graph begin at the top; those of one that was read again stay where they are.
    connect(&document, &Document::graphChanged, this, [this] {
        if (const QString before = std::exchange(graph_, document_.loaded().path); graph_ != before) scrollToTop();
    });
}

void BucketView::revealSelection() {
    if (selectionModel()->isSelected(currentIndex())) scrollTo(currentIndex());
}

void BucketView::followSelection() {
    // An edit moves buckets: cards, which move too, stay as they are selected.
    if (model_.rowCount() != static_cast<int>(document_.buckets().size())) return;
    const QScopedValueRollback guard(following_, true);
    const Selection& selection = document_.selection();
    int bucket = selection.bucket();
    if (selection.kind() == Selection::Kind::modules) return followModules(selection.modules());
    if (selection.kind() == Selection::Kind::module)
        bucket = bucket_of_module(document_.buckets(), selection.module().toStdString());
    if (selection.kind() == Selection::Kind::node)
        bucket = document_.bucketOfNode(document_.findNode(selection.node()));
    if (bucket < 0) {
        selectionModel()->clearSelection();
    } else if (const QModelIndex index = model_.index(bucket); index.isValid()) {
        // Not by setCurrentIndex(): while Ctrl is held, as for undo, that leaves other cards selected.
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
        scrollTo(index);
    }
}

/// Several modules may be of several buckets.
void BucketView::followModules(const QStringList& modules) {
    QItemSelection cards;
    QModelIndex first;
    for (const QString& module : modules) {
        const int bucket = bucket_of_module(document_.buckets(), module.toStdString());
        const QModelIndex index = bucket < 0 ? QModelIndex() : model_.index(bucket);
        if (!index.isValid() || cards.contains(index)) continue;
        cards.select(index, index);
        if (!first.isValid() || index.row() < first.row()) first = index;
    }
    selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    selectionModel()->select(cards, QItemSelectionModel::ClearAndSelect);
    if (first.isValid()) scrollTo(first);
}

bool BucketView::eventFilter(QObject* watched, QEvent* event) {
    // Also after a drag, which ends with a release of its own: what was dropped is the selection by then.
    if (follows_release_ && event->type() == QEvent::MouseButtonRelease) {
        follows_release_ = false;
        qApp->removeEventFilter(this);
        QMetaObject::invokeMethod(this, &BucketView::followSelection, Qt::QueuedConnection);
    }
    return QListView::eventFilter(watched, event);
}

std::vector<int> BucketView::selectedBuckets() const {
    std::vector<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedIndexes()) rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

QStringList BucketView::selectedModules() const {
    if (chip_ >= 0 && currentIndex().isValid()) {
        const auto& chips = model_.chips(currentIndex().row());
        if (static_cast<std::size_t>(chip_) < chips.size()) return {chips[static_cast<std::size_t>(chip_)].path};
    }
    QStringList modules;
    for (const int row : selectedBuckets()) modules += model_.index(row).data(BucketModel::modules_role).toStringList();
    return modules;
}

void BucketView::removeSelected() {
    if (!document_.editable()) return tell(BucketCommands(document_).refusal({QString()}, -1));
    if (chip_ >= 0) {
        const int row = currentIndex().row();
        if (model_.chips(row)[static_cast<std::size_t>(chip_)].own)
            BucketCommands(document_).takeOut(selectedModules());
        return setChip(-1);
    }
    if (const auto rows = selectedBuckets(); !rows.empty()) BucketCommands(document_).remove(rows);
}

void BucketView::renameCurrent() {
    if (currentIndex().isValid()) edit(currentIndex());
}

void BucketView::mergeSelected() {
    const auto rows = selectedBuckets();
    if (rows.size() < 2) {
        emit refused(tr("To merge buckets, choose two or more, with Ctrl or Shift and a click"));
        return;
    }
    BucketCommands(document_).merge(rows);
    makeCurrent(rows.front());
}

void BucketView::splitCurrent() {
    const int row = currentIndex().row();
    BucketCommands(document_).split(row);
    makeCurrent(row);
}

void BucketView::moveCurrent(int step) {
    const int from = currentIndex().row();
    const int to = from + step;
    if (from < 0 || to < 0 || to >= model_.rowCount()) return;
    BucketCommands(document_).move(from, to);
    makeCurrent(to);
}

void BucketView::makeCurrent(int row) {
    row = std::min(row, model_.rowCount() - 1);
    if (row < 0) return;
    selectionModel()->setCurrentIndex(model_.index(row), QItemSelectionModel::ClearAndSelect);
    scrollTo(currentIndex());
}

void BucketView::focusInEvent(QFocusEvent* event) {
    QListView::focusInEvent(event);
    // Who comes by keys sees at which card they are.
    const bool by_keys = event->reason() != Qt::MouseFocusReason && event->reason() != Qt::PopupFocusReason &&
                         event->reason() != Qt::ActiveWindowFocusReason;
    if (by_keys && selectedBuckets().empty()) makeCurrent(std::max(0, currentIndex().row()));
}

void BucketView::copySelected() {
    if (const QStringList modules = selectedModules(); !modules.isEmpty())
        QApplication::clipboard()->setMimeData(moduleMimeData(modules));
}

void BucketView::paste() {
    const QStringList modules = modulesOf(QApplication::clipboard()->mimeData());
    if (modules.isEmpty()) return;
    if (!currentIndex().isValid()) return pasteIntoNew();
    put(modules, currentIndex().row());
}

void BucketView::put(const QStringList& modules, int target) {
    BucketCommands commands(document_);
    const ModulesPut what = commands.whatIsPut(modules, target);
    tell(commands.put(modules, target));
    if (what.refusal.isEmpty()) showBucketOf(what.taken);
}

void BucketView::putIntoNew(const QStringList& modules, int at) {
    BucketCommands commands(document_);
    const ModulesPut what = commands.whatIsPut(modules, -1);
    tell(commands.putIntoNew(modules, at));
    if (what.refusal.isEmpty()) showBucketOf(what.taken);
}

void BucketView::showBucketOf(const std::vector<std::string>& modules) {
    // Buckets that an edit left empty are gone, so the target may have another place than before.
    makeCurrent(bucket_of_module(document_.buckets(), modules.front()));
}

void BucketView::pasteIntoNew() {
    const QStringList modules = modulesOf(QApplication::clipboard()->mimeData());
    if (!modules.isEmpty()) putIntoNew(modules, -1);
}

void BucketView::tell(const QString& reason) {
    if (!reason.isEmpty()) emit refused(reason);
}

void BucketView::setChip(int chip) {
    chip_ = chip;
    viewport()->update();
}

void BucketView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    chip_ = -1;
    QListView::currentChanged(current, previous);
    scheduleDelayedItemsLayout();  // the current card shows all of its modules
    // While cards of removed buckets go, the card beside them becomes current: nobody has chosen its bucket.
    const bool follows_edit = model_.rowCount() != static_cast<int>(document_.buckets().size());
    if (following_ || follows_edit || !current.isValid()) return;
    const QScopedValueRollback guard(following_, true);
    document_.selection().selectBucket(current.row());
}

/// The card of a bucket that is selected again by undo comes later than the selection.
void BucketView::rowsInserted(const QModelIndex& parent, int first, int last) {
    QListView::rowsInserted(parent, first, last);
    if (document_.selection().kind() == Selection::Kind::bucket && selectedBuckets().empty()) followSelection();
}

void BucketView::mousePressEvent(QMouseEvent* event) {
    const QPoint position = event->position().toPoint();
    const QModelIndex index = indexAt(position);
    const int chip = index.isValid() ? delegate_->geometry(visualRect(index), index).chipAt(position) : -1;
    QListView::mousePressEvent(event);
    if (!index.isValid()) {
        // Beside all cards: none is selected here, so nothing is in other views either.
        if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier) document_.selection().clear();
        return;
    }
    // The card may have grown by becoming current; the chip that was meant is the one under the press.
    setChip(chip);
    if (event->button() != Qt::LeftButton) return;
    const QScopedValueRollback guard(following_, true);
    if (chip >= 0) {
        document_.selection().selectModule(model_.chips(index.row())[static_cast<std::size_t>(chip)].path);
    } else {
        document_.selection().selectBucket(index.row());
    }
}

void BucketView::keyPressEvent(QKeyEvent* event) {
    const int row = currentIndex().row();
    const int chips = row < 0 ? 0 : static_cast<int>(model_.chips(row).size());
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    if (row >= 0 && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        const int step = event->key() == Qt::Key_Left ? -1 : 1;
        const int to = std::clamp(chip_ + step, -1, chips - 1);
        if (alt && chip_ >= 0 && to >= 0 && model_.chips(row)[static_cast<std::size_t>(chip_)].own &&
            document_.editable())
            BucketCommands(document_).moveModule(row, chip_, to);
        return setChip(to);
    }
    if (event->key() == Qt::Key_Escape && chip_ >= 0) return setChip(-1);
    QListView::keyPressEvent(event);
}

void BucketView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addActions(actions());
    if (!menu.isEmpty()) menu.exec(event->globalPos());
}

void BucketView::resizeEvent(QResizeEvent* event) {
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();
}

void BucketView::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    QPainter painter(viewport());
    if (model_.rowCount() == 0 && hint_shown_) paintHint(painter);
    if (place_.kind == DropPlace::Kind::before) paintGap(painter);
}

void BucketView::setHintShown(bool shown) {
    hint_shown_ = shown;
    viewport()->update();
}

void BucketView::paintHint(QPainter& painter) {
    const Theme& theme = currentTheme();
    const QRect area = viewport()->rect().adjusted(24, 24, -24, -24);
    QString heading = tr("No buckets yet");
    QString hint = tr("Drag modules here, type their names above, or start from one bucket for each block.");
    if (!document_.isOpen()) {
        heading = noGraphOpen(document_);
        hint = document_.loading() ? QString() : tr("Open a graph, or drop its file on the window.");
    } else if (!document_.editable()) {
        heading = tr("The baseline has no buckets");
        hint = tr("It is the graph as it was read. Choose a plan in the toolbar, or add one with +.");
    }
    if (document_.isOpen() && document_.editable() && !document_.modules().exists()) {
        heading = tr("No module names");
        hint = tr("PyTorch's pass finds modules by name, and no node of this graph has one. Rules can give them.");
    }
    painter.setFont(textFont(largeTextPx, QFont::DemiBold));
    painter.setPen(theme.dim);
    painter.drawText(area, Qt::AlignHCenter | Qt::AlignTop, heading);
    painter.setFont(textFont(normalTextPx));
    painter.drawText(area.adjusted(0, 24, 0, 0), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, hint);
}

}  // namespace overlap::ui
