// What is dragged out of cards, onto them and between them; a part of BucketView.
#include <QDrag>
#include <QDragEnterEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMimeData>
#include <QPainter>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_delegate.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/plan/drag_picture.h"
#include "ui/plan/drop_figures.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int gap_reach = 7;  ///< how near to a gap the pointer means the gap and not the card
constexpr int gap_side = 8;

std::vector<int> bucketsOf(const QMimeData* data) {
    std::vector<int> buckets;
    for (const QJsonValue value : QJsonDocument::fromJson(data->data(bucket_mime_type)).array())
        buckets.push_back(value.toInt());
    return buckets;
}

}  // namespace

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
    const bool cards = event->mimeData()->hasFormat(bucket_mime_type);
    dragged_ = Dragged{modulesOf(event->mimeData()), cards, cards ? bucketsOf(event->mimeData()) : std::vector<int>(),
                       event->position().toPoint()};
    showDragged() ? event->acceptProposedAction() : event->ignore();
}

bool BucketView::showDragged() {
    const DropPlace place = dropPlace(dragged_->position, dragged_->are_cards);
    showDropPlace(place);
    if (dragged_->are_cards && place.kind == DropPlace::Kind::before) {
        preview_.clear();  // moving a card weighs nothing
        return document_.editable();
    }
    if (place.kind == DropPlace::Kind::onto && std::ranges::count(dragged_->cards, place.row) > 0) {
        preview_.clear();
        return false;
    }
    preview_.show(dragged_->modules, place.kind == DropPlace::Kind::onto ? place.row : -1, place.row);
    showFigures();  // the picture of the drag has moved
    // Accepted even where the drop will be refused: the card goes on telling why.
    return true;
}

void BucketView::scrollContentsBy(int by_x, int by_y) {
    QListView::scrollContentsBy(by_x, by_y);
    if (!dragged_) return;
    // Another card is under the pointer, which may rest; not within the layout that scrolls.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (dragged_) showDragged();
        },
        Qt::QueuedConnection);
}

void BucketView::dragLeaveEvent(QDragLeaveEvent* event) {
    QListView::dragLeaveEvent(event);
    endDrop();
}

void BucketView::dropEvent(QDropEvent* event) {
    const QStringList modules = modulesOf(event->mimeData());
    const bool cards = event->mimeData()->hasFormat(bucket_mime_type);
    const std::vector<int> dragged = cards ? bucketsOf(event->mimeData()) : std::vector<int>();
    // What is shown holds, also where cards have been laid out anew below the pointer since.
    const DropPlace place =
        place_.kind == DropPlace::Kind::none ? dropPlace(event->position().toPoint(), cards) : place_;
    event->acceptProposedAction();
    endDrop();
    BucketCommands commands(document_);
    if (cards && place.kind == DropPlace::Kind::before) {
        if (dragged.empty()) return;
        const int from = dragged.front();
        const int to = std::min(place.row > from ? place.row - 1 : place.row, model_.rowCount() - 1);
        commands.move(from, to);
        return makeCurrent(to);
    }
    if (place.kind == DropPlace::Kind::onto) {
        if (std::find(dragged.begin(), dragged.end(), place.row) == dragged.end()) put(modules, place.row);
    } else {
        putIntoNew(modules, place.row);
    }
}

void BucketView::showDropPlace(const DropPlace& place) {
    if (place.kind == place_.kind && place.row == place_.row) return;
    place_ = place;
    viewport()->update();
    showFigures();
}

void BucketView::endDrop() {
    dragged_.reset();
    showDropPlace({});
    preview_.clear();
    setState(NoState);
}

int BucketView::gapY() const {
    if (place_.row < model_.rowCount()) return visualRect(model_.index(place_.row)).top();
    return model_.rowCount() > 0 ? visualRect(model_.index(model_.rowCount() - 1)).bottom() : 2;
}

QString BucketView::gapText() const {
    if (!preview_.refusal().isEmpty()) return shownName(preview_.refusal());
    const QString figures =
        tr("new bucket: %1\n%2")
            .arg(preview_.weight(), preview_.outcome().isEmpty() ? tr("evaluating…") : preview_.outcome());
    return shownLines(preview_.remark().isEmpty() ? figures : figures + u'\n' + preview_.remark());
}

QRect BucketView::gapPlate() const {
    const int y = gapY();
    QRect plate = DropFigures::plateOf(gapText(), viewport()->rect().adjusted(gap_side, 0, -gap_side, 0));
    plate.moveTop(y + gap_reach + plate.height() > viewport()->height() ? y - gap_reach - plate.height()
                                                                        : y + gap_reach);
    return plate;
}

void BucketView::paintGap(QPainter& painter) {
    const Theme& theme = currentTheme();
    const bool allowed = !preview_.active() || preview_.refusal().isEmpty();
    painter.fillRect(QRect(gap_side, gapY() - 1, viewport()->width() - 2 * gap_side, 2),
                     allowed ? theme.accent : theme.caution);
    if (preview_.active() && !figures_) DropFigures::paintPlate(painter, gapPlate(), gapText(), allowed);
}

/// Where they are cut, or covered by what is dragged, they are beside the view.
void BucketView::showFigures() {
    const bool onto = preview_.active() && preview_.target() >= 0;
    const bool gap = preview_.active() && !onto && place_.kind == DropPlace::Kind::before;
    executeDelayedItemsLayout();
    const bool allowed = preview_.refusal().isEmpty();
    const QString text = gap ? gapText() : allowed ? shownLines(preview_.text()) : shownName(preview_.refusal());
    const QModelIndex index = onto ? model_.index(preview_.target()) : QModelIndex();
    const QRect needed = gap ? gapPlate() : onto ? delegate_->geometry(visualRect(index), index).preview : QRect();
    const QRect picture = dragged_ ? dragPictureAt(dragged_->modules, dragged_->position) : QRect();
    const QRect written = gap ? needed
                              : QFontMetrics(textFont(smallTextPx))
                                    .boundingRect(needed, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text);
    const bool is_seen = viewport()->rect().contains(needed) && !written.intersects(picture);
    if (const bool beside = !needed.isEmpty() && !is_seen; beside != (figures_ != nullptr)) {
        viewport()->update();
        if (beside)
            figures_ = new DropFigures(*this);
        else
            delete figures_;
    }
    if (figures_)
        figures_->showBeside(text, allowed, gap ? gapY() : visualRect(index).top(),
                             picture.translated(viewport()->mapTo(this, QPoint())));
}

}  // namespace overlap::ui
