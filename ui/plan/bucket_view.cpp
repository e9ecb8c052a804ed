#include "ui/plan/bucket_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDrag>
#include <QDragEnterEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_delegate.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/drag_picture.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int gap_reach = 7;  ///< how near to a gap the pointer means the gap and not the card

std::vector<int> bucketsOf(const QMimeData* data) {
    std::vector<int> buckets;
    for (const QJsonValue value : QJsonDocument::fromJson(data->data(bucket_mime_type)).array())
        buckets.push_back(value.toInt());
    return buckets;
}

}  // namespace

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
    });
    connect(&document.selection(), &Selection::changed, this, [this] {
        if (following_) return;
        const QScopedValueRollback guard(following_, true);
        const Selection& selection = document_.selection();
        int bucket = selection.bucket();
        if (selection.kind() == Selection::Kind::module)
            bucket = bucket_of_module(document_.buckets(), selection.module().toStdString());
        if (selection.kind() == Selection::Kind::node)
            bucket = document_.bucketOfNode(document_.findNode(selection.node()));
        if (bucket < 0) {
            selectionModel()->clearSelection();
        } else if (const QModelIndex index = model_.index(bucket); index.isValid()) {
            setCurrentIndex(index);
            scrollTo(index);
        }
    });
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
    if (const auto rows = selectedBuckets(); rows.size() > 1) {
        BucketCommands(document_).merge(rows);
        makeCurrent(rows.front());
    }
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
    setCurrentIndex(model_.index(row));
    selectionModel()->select(currentIndex(), QItemSelectionModel::ClearAndSelect);
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
    const int row = currentIndex().row();
    const QString reason = BucketCommands(document_).put(modules, row);
    if (!reason.isEmpty()) return tell(reason);
    showBucketOf(modules);
}

void BucketView::showBucketOf(const QStringList& modules) {
    // Buckets that an edit left empty are gone, so the target may have another place than before.
    makeCurrent(bucket_of_module(document_.buckets(), modules.front().toStdString()));
}

void BucketView::showDropped(const QStringList& modules, const QString& refusal) {
    refusal.isEmpty() ? showBucketOf(modules) : tell(refusal);
}

void BucketView::pasteIntoNew() {
    const QStringList modules = modulesOf(QApplication::clipboard()->mimeData());
    if (modules.isEmpty()) return;
    const QString reason = BucketCommands(document_).putIntoNew(modules);
    if (!reason.isEmpty()) return tell(reason);
    showBucketOf(modules);
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
    if (following_ || !current.isValid()) return;
    const QScopedValueRollback guard(following_, true);
    document_.selection().selectBucket(current.row());
}

void BucketView::mousePressEvent(QMouseEvent* event) {
    const QPoint position = event->position().toPoint();
    const QModelIndex index = indexAt(position);
    const int chip = index.isValid() ? delegate_->geometry(visualRect(index), index).chipAt(position) : -1;
    QListView::mousePressEvent(event);
    if (!index.isValid()) return;
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

void BucketView::startDrag(Qt::DropActions) {
    if (!document_.editable()) return;
    const int row = currentIndex().row();
    const bool own_chip = chip_ >= 0 && row >= 0 && model_.chips(row).size() > 1 &&
                          model_.chips(row)[static_cast<std::size_t>(chip_)].own;
    if (!own_chip) chip_ = -1;
    const QStringList modules = selectedModules();
    if (modules.isEmpty()) return;
    QMimeData* carried = moduleMimeData(modules);
    if (!own_chip) {
        QJsonArray buckets;
        for (const int bucket : selectedBuckets()) buckets.append(bucket);
        carried->setData(bucket_mime_type, QJsonDocument(buckets).toJson(QJsonDocument::Compact));
    }
    auto* drag = new QDrag(this);
    drag->setMimeData(carried);
    const QPixmap picture = dragPicture(modules, devicePixelRatioF());
    drag->setPixmap(picture);
    drag->setHotSpot(dragHotSpot(picture));
    drag->exec(Qt::MoveAction | Qt::CopyAction, Qt::MoveAction);
    endDrop();
}

BucketView::DropPlace BucketView::dropPlace(const QPoint& position, bool cards) const {
    const QModelIndex index = indexAt(position);
    if (!index.isValid()) return {DropPlace::Kind::before, model_.rowCount()};
    const QRect area = visualRect(index);
    const int reach = cards ? area.height() / 3 : gap_reach;
    if (position.y() < area.top() + reach) return {DropPlace::Kind::before, index.row()};
    if (position.y() > area.bottom() - reach) return {DropPlace::Kind::before, index.row() + 1};
    return {DropPlace::Kind::onto, index.row()};
}

void BucketView::dragEnterEvent(QDragEnterEvent* event) {
    if (!modulesOf(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void BucketView::dragMoveEvent(QDragMoveEvent* event) {
    QListView::dragMoveEvent(event);  // scrolls at the edges
    const QStringList modules = modulesOf(event->mimeData());
    const bool cards = event->mimeData()->hasFormat(bucket_mime_type);
    const DropPlace place = dropPlace(event->position().toPoint(), cards);
    showDropPlace(place);
    if (cards && place.kind == DropPlace::Kind::before) {
        preview_.clear();  // moving a card weighs nothing
        return document_.editable() ? event->acceptProposedAction() : event->ignore();
    }
    const std::vector<int> dragged = cards ? bucketsOf(event->mimeData()) : std::vector<int>();
    if (place.kind == DropPlace::Kind::onto && std::find(dragged.begin(), dragged.end(), place.row) != dragged.end()) {
        preview_.clear();
        return event->ignore();
    }
    preview_.show(modules, place.kind == DropPlace::Kind::onto ? place.row : -1, place.row);
    // The event is accepted even where the drop will be refused: the card goes on telling why.
    event->acceptProposedAction();
}

void BucketView::dragLeaveEvent(QDragLeaveEvent* event) {
    QListView::dragLeaveEvent(event);
    endDrop();
}

void BucketView::dropEvent(QDropEvent* event) {
    const QStringList modules = modulesOf(event->mimeData());
    const bool cards = event->mimeData()->hasFormat(bucket_mime_type);
    const std::vector<int> dragged = cards ? bucketsOf(event->mimeData()) : std::vector<int>();
    const DropPlace place = dropPlace(event->position().toPoint(), cards);
    event->acceptProposedAction();
    endDrop();
    BucketCommands commands(document_);
    if (cards && place.kind == DropPlace::Kind::before) {
        if (dragged.empty()) return;
        const int from = dragged.front();
        const int to = std::min(place.row > from ? place.row - 1 : place.row, model_.rowCount() - 1);
        commands.move(from, to);
        return setCurrentIndex(model_.index(to));
    }
    if (place.kind == DropPlace::Kind::onto) {
        if (std::find(dragged.begin(), dragged.end(), place.row) == dragged.end())
            showDropped(modules, commands.put(modules, place.row));
    } else {
        showDropped(modules, commands.putIntoNew(modules, place.row));
    }
}

void BucketView::showDropPlace(const DropPlace& place) {
    if (place.kind == place_.kind && place.row == place_.row) return;
    place_ = place;
    viewport()->update();
}

void BucketView::endDrop() {
    showDropPlace({});
    preview_.clear();
    setState(NoState);
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
        heading = tr("No graph is open");
        hint = tr("Open a graph, or drop its file on the window.");
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

void BucketView::paintGap(QPainter& painter) {
    const Theme& theme = currentTheme();
    int y = 2;
    if (place_.row < model_.rowCount()) {
        y = visualRect(model_.index(place_.row)).top();
    } else if (model_.rowCount() > 0) {
        y = visualRect(model_.index(model_.rowCount() - 1)).bottom();
    }
    const bool allowed = !preview_.active() || preview_.refusal().isEmpty();
    painter.fillRect(QRect(8, y - 1, viewport()->width() - 16, 2), allowed ? theme.accent : theme.caution);
    if (!preview_.active()) return;
    const QString text =
        allowed ? tr("new bucket: %1\n%2")
                      .arg(preview_.weight(), preview_.outcome().isEmpty() ? tr("evaluating…") : preview_.outcome())
                : shownName(preview_.refusal());
    painter.setFont(textFont(smallTextPx));
    const QRect space(16, 0, viewport()->width() - 32, viewport()->height());
    QRect area =
        painter.boundingRect(space, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text).adjusted(-8, -5, 8, 5);
    area.moveTop(y + 6 + area.height() > viewport()->height() ? y - 6 - area.height() : y + 6);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(allowed ? theme.accent : theme.caution);
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(allowed ? theme.text : theme.asText(theme.caution));
    painter.drawText(area.adjusted(8, 5, -8, -5), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text);
}

}  // namespace overlap::ui
