// What mouse, wheel and menus do in the graph view.
#include <QApplication>
#include <QClipboard>
#include <QDrag>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QScopedValueRollback>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_view.h"
#include "ui/plan/drag_picture.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr double notch = 120;        ///< QWheelEvent's eighths of a degree
constexpr double wheel_pixels = 60;  ///< one notch moves
constexpr double fast_times = 4;
constexpr Qt::KeyboardModifiers selecting_modifiers = Qt::ControlModifier | Qt::ShiftModifier;

}  // namespace

bool GraphView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const BoxId box = minimapRect().contains(help->pos()) ? no_box : boxAt(help->pos());
        if (box == no_box)
            QToolTip::hideText();
        else
            showToolTip(help->globalPos(),
                        model_.texts().toolTip(*shown_->find(box), model_.colours().exposedMs(box),
                                               model_.partlySelectedNames(box)),
                        this, boxRect(box).toAlignedRect());
        return true;
    }
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) zoomBy(1 + gesture->value(), gesture->position());
        return true;
    }
    if (event->type() == QEvent::Show) {
        takeKeptCorner();
        showAtFirst();
    }
    return QWidget::event(event);
}

void GraphView::panBy(QPointF pixels) {
    setPlace({place_.centre + pixels / place_.scale, place_.scale});
}

void GraphView::wheelEvent(QWheelEvent* event) {
    const QPointF turned = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / notch
                                                        : QPointF(event->pixelDelta()) / wheel_pixels;
    const double times = event->modifiers() & Qt::AltModifier ? fast_times : 1;
    // With Alt, some platforms turn the wheel's axis: whichever moved counts.
    const double either = turned.y() != 0 ? turned.y() : turned.x();
    if (event->modifiers() & Qt::ControlModifier)
        zoomBy(std::pow(zoomStep, either * times), event->position());
    else if (event->modifiers() & Qt::ShiftModifier)
        panBy({-either * wheel_pixels * times, 0});
    else
        panBy(QPointF(-turned.x(), -turned.y()) * wheel_pixels * times);
    hover(event->position());
    event->accept();
}

void GraphView::hover(QPointF screen) {
    const BoxId box = press_ == Press::none && !minimapRect().contains(screen) ? boxAt(screen) : no_box;
    const bool clickable = box != no_box && onTriangle(box, screen);
    const Qt::CursorShape shape = press_ == Press::plane                        ? Qt::ClosedHandCursor
                                  : clickable || minimapRect().contains(screen) ? Qt::PointingHandCursor
                                                                                : Qt::ArrowCursor;
    if (cursor().shape() != shape) setCursor(shape);
    if (box == hovered_) return;
    hovered_ = box;
    update();
}

bool GraphView::onTriangle(BoxId box, QPointF screen) const {
    if (!model_.tree().has_children(box)) return false;
    const QRectF rect = boxRect(box);
    const double height = model_.isOpen(box) ? headerHeight : moduleHeight;
    return QRectF(rect.topLeft(), QSizeF(boxMargin + arrowRoom, height) * place_.scale).contains(screen);
}

bool GraphView::canDrag(BoxId box, QPointF screen) const {
    if (box == no_box || model_.texts().modules(box).isEmpty()) return false;
    // Inside an open box, dragging moves the view; its title is the handle.
    return !model_.isOpen(box) || screen.y() < boxRect(box).top() + headerHeight * place_.scale;
}

void GraphView::startDrag(BoxId box) {
    const QStringList modules = model_.modulesWith(box);
    auto* drag = new QDrag(this);
    drag->setMimeData(moduleMimeData(modules));
    const QPixmap picture = dragPicture(modules, devicePixelRatioF());
    drag->setPixmap(picture);
    drag->setHotSpot(dragHotSpot(picture));
    drag->exec(Qt::MoveAction | Qt::CopyAction, Qt::MoveAction);
}

void GraphView::centreOnMinimap(QPointF screen) {
    const QRectF area = minimapRect();
    if (area.isEmpty()) return;
    const QPointF share((screen.x() - area.x()) / area.width(), (screen.y() - area.y()) / area.height());
    const QPointF centre(share.x() * shown_->size.width, share.y() * shown_->size.height);
    setPlace({centre, place_.scale});
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    if (!model_.isOpen()) return;
    QToolTip::hideText();
    press_at_ = press_now_ = event->position();
    pressed_ = boxAt(press_at_);
    press_modifiers_ = event->modifiers();
    if (event->button() == Qt::BackButton) return goBack();
    if (event->button() == Qt::ForwardButton) return goForward();
    if (event->button() == Qt::MiddleButton) {
        press_ = Press::plane;
    } else if (event->button() == Qt::LeftButton && event->modifiers() & Qt::AltModifier) {
        press_ = Press::marquee;
    } else if (event->button() == Qt::LeftButton && minimapRect().contains(press_at_)) {
        press_ = Press::minimap;
        back_.push_back(place_);
        centreOnMinimap(press_at_);
    } else if (event->button() == Qt::LeftButton) {
        press_ = Press::box;
    }
    update();
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF before = std::exchange(press_now_, event->position());
    if (press_ == Press::box && (press_now_ - press_at_).manhattanLength() >= QApplication::startDragDistance()) {
        if (press_modifiers_ & selecting_modifiers) {
            press_ = Press::band;
            update();
            return;
        }
        if (canDrag(pressed_, press_at_)) {
            press_ = Press::none;
            startDrag(pressed_);
            return;
        }
        press_ = Press::plane;
        panBy(press_at_ - press_now_);
    } else if (press_ == Press::plane) {
        panBy(before - press_now_);
    } else if (press_ == Press::minimap) {
        centreOnMinimap(press_now_);
    } else if (press_ == Press::marquee || press_ == Press::band) {
        update();
    }
    hover(press_now_);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    const Press finished = std::exchange(press_, Press::none);
    if (finished == Press::box) {
        // What is clicked is seen already: it stays under the pointer.
        const QScopedValueRollback stay(follows_, false);
        clickBox();
    } else if (finished == Press::band) {
        selectMarked(QRectF(press_at_, event->position()).normalized());
        update();
    } else if (finished == Press::marquee) {
        const QRectF marked = QRectF(press_at_, event->position()).normalized();
        if (marked.width() > 4 && marked.height() > 4)
            showRect(QRectF(toPlane(marked.topLeft()), toPlane(marked.bottomRight())), 4);
        update();
    }
    hover(event->position());
}

/// By the keys that were held when the button was pressed, as a drag is.
void GraphView::clickBox() {
    const bool adds = press_modifiers_ & selecting_modifiers;
    if (!adds && pressed_ != no_box && onTriangle(pressed_, press_at_)) toggle(pressed_);
    const Selection& selection = model_.document().selection();
    if (!adds || (pressed_ != no_box && model_.selectedModules().isEmpty())) return select(pressed_);
    if (pressed_ == no_box) return;  // who adds to a selection and misses keeps it
    const QStringList modules = model_.texts().modules(pressed_);
    if (modules.isEmpty()) return emit told(tr("Only modules can be selected together"));
    bool added = true;
    if (press_modifiers_ & Qt::ControlModifier)
        added = model_.selectAlso(pressed_);
    else
        model_.selectModulesOf(current_ == no_box ? std::vector{pressed_} : model_.boxesBetween(current_, pressed_),
                               pressed_);
    const auto is_selected = [&](const QString& path) { return selection.modules().contains(path); };
    if (added && std::ranges::none_of(modules, is_selected))
        emit told(tr("%1 is selected with the module around it").arg(model_.texts().path(pressed_)));
    else if (added)
        setCurrent(pressed_);
    else if (!model_.isSelected(current_) || pressed_ == current_)
        onSelectionMoved();  // keys start from what is still selected
    update();
}

/// Adds modules to the selection: closed boxes that the mark touches, open ones that lie in it.
void GraphView::selectMarked(const QRectF& marked) {
    std::vector<BoxId> boxes;
    for (const PlacedBox& placed : shown_->boxes) {
        const QRectF rect = boxRect(placed.box);
        const bool is_marked = placed.open ? marked.contains(rect) : marked.intersects(rect);
        if (is_marked && !model_.texts().modules(placed.box).isEmpty()) boxes.push_back(placed.box);
    }
    if (boxes.empty()) return emit told(tr("There is no module in what is marked"));
    setCurrent(boxes.front());
    model_.selectModulesOf(boxes, boxes.front());
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !model_.isOpen() || minimapRect().contains(event->position())) return;
    const BoxId box = boxAt(event->position());
    if (box == no_box) return fitAll();
    if (!onTriangle(box, event->position())) toggle(box);
}

void GraphView::leaveEvent(QEvent*) {
    hovered_ = no_box;
    update();
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!model_.isOpen()) return;
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const BoxId box = by_key ? current_ : boxAt(event->pos());
    if (!by_key && !isOfSeveral(box)) select(box);
    const QPoint at = by_key && box != no_box ? mapToGlobal(boxRect(box).center().toPoint()) : event->globalPos();
    QMenu* menu = makeMenu(box);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(at);
}

/// Whether a box is one of several modules that are selected, or a pile of which some are: a menu is about all of them
/// then.
bool GraphView::isOfSeveral(BoxId box) const {
    if (box == no_box) return false;
    const QStringList selected = model_.selectedModules();
    return selected.size() > 1 && model_.modulesWith(box) == selected;
}

QMenu* GraphView::makeMenu(BoxId box) {
    auto* menu = new QMenu(this);
    const bool boxed = model_.isOpen() && box != no_box;
    if (boxed && model_.tree().has_children(box)) {
        const bool open = model_.isOpen(box);
        menu->addAction(open ? tr("Close") : tr("Open"), this, [this, box] { toggle(box); });
        menu->addAction(open ? tr("Close all identical") : tr("Open all identical"), this,
                        [this, box, open] { model_.setIdenticalOpen(box, !open); });
    }
    if (boxed) {
        menu->addAction(tr("Focus"), this, [this, box] {
            if (!isOfSeveral(box))
                select(box);
            else if (!model_.isPartlySelected(box))
                model_.selectModulesOf({box}, box);  // which all stay, and this one comes first
            focusSelection();
        });
        const QStringList modules = model_.modulesWith(box);
        Document& document = model_.document();
        if (!modules.isEmpty() && document.editable()) {
            menu->addSeparator();
            QMenu* put = menu->addMenu(modules.size() == 1 ? tr("Put into bucket")
                                                           : tr("Put %1 modules into bucket").arg(modules.size()));
            const auto run = [this](const QString& refusal) {
                if (!refusal.isEmpty()) emit told(refusal);
            };
            put->addAction(tr("New bucket"), this,
                           [&document, modules, run] { run(BucketCommands(document).putIntoNew(modules)); });
            if (modules.size() > 1)
                put->addAction(tr("A new bucket each"), this,
                               [&document, modules, run] { run(BucketCommands(document).putIntoNewEach(modules)); });
            for (int bucket = 0; bucket < static_cast<int>(document.buckets().size()); ++bucket)
                put->addAction(
                    shownInMenu(BucketCommands(document).title(bucket)), this,
                    [&document, modules, bucket, run] { run(BucketCommands(document).put(modules, bucket)); });
            menu->addAction(modules.size() == 1 ? tr("Take out of its bucket") : tr("Take out of their buckets"), this,
                            [&document, modules] { BucketCommands(document).takeOut(modules); });
        }
        menu->addSeparator();
        menu->addAction(tr("Copy as text"), this, [this, box] { copyText(box); });
    }
    menu->addSeparator();
    menu->addAction(tr("Fit all"), this, &GraphView::fitAll);
    if (model_.isOpen()) menu->addAction(tr("Close all boxes"), this, [this] { model_.closeAll(); });
    menu->addAction(tr("Save picture…"), this, &GraphView::exportPicture);
    return menu;
}

void GraphView::copyText(BoxId box) const {
    QStringList lines{model_.texts().spoken(box, model_.isOpen(box), model_.partlySelected(box))};
    const BoxNeighbours neighbours = model_.neighbours(box);
    for (const LevelEdge& edge : neighbours.incoming)
        lines.append(tr("from\t%1\t%2").arg(model_.texts().path(edge.from), BoxTexts::amount(edge)));
    for (const LevelEdge& edge : neighbours.outgoing)
        lines.append(tr("to\t%1\t%2").arg(model_.texts().path(edge.to), BoxTexts::amount(edge)));
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

}  // namespace overlap::ui
