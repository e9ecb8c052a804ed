// What keys do in the graph view.
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/document/document.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/graph_view.h"

namespace overlap::ui {
namespace {

constexpr double page_share = 0.8;  ///< of the view's height that a page moves
constexpr int glide_ms = 16;
constexpr double level_share = 0.1;  ///< of the distance aside that counts for boxes that are level with each other

}  // namespace

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (!model_.isOpen()) return QWidget::keyPressEvent(event);
    const bool arrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    const HeldKeys::Key key = arrow ? HeldKeys::None : HeldKeys::keyOf(*event);
    if (key != HeldKeys::None) {
        if (event->isAutoRepeat()) return;  // the timer moves, at its own pace
        const bool fast = event->modifiers() & Qt::AltModifier;
        glide(HeldKeys::stepOf(key, fast));
        held_.press(key, fast);
        glide_timer_.start(glide_ms, Qt::PreciseTimer, this);
        return;
    }
    if (event->matches(QKeySequence::Copy) && current_ != no_box) return copyText(current_);
    if (navigationKey(*event) || boxKey(*event)) return event->accept();
    QWidget::keyPressEvent(event);
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
    if (event->isAutoRepeat()) return;
    held_.release(HeldKeys::keyOf(*event));
    if (!held_.any()) glide_timer_.stop();
    QWidget::keyReleaseEvent(event);
}

void GraphView::focusOutEvent(QFocusEvent* event) {
    held_.releaseAll();
    glide_timer_.stop();
    update();
    QWidget::focusOutEvent(event);
}

void GraphView::timerEvent(QTimerEvent* event) {
    if (event->timerId() == glide_timer_.timerId()) return glide(held_.elapsedMotion());
    QWidget::timerEvent(event);
}

void GraphView::glide(const HeldKeys::Motion& motion) {
    const QPointF pointer = mapFromGlobal(QCursor::pos());
    const QPointF fixed = rect().contains(pointer.toPoint()) ? pointer : QRectF(rect()).center();
    if (motion.zoom != 1) zoomBy(1 / motion.zoom, fixed);
    if (motion.pan != 0) panBy({motion.pan * width(), 0});
}

bool GraphView::navigationKey(const QKeyEvent& event) {
    const bool alt = event.modifiers() & Qt::AltModifier;
    switch (event.key()) {
        case Qt::Key_Home:
        case Qt::Key_0:
            fitAll();
            return true;
        case Qt::Key_F:
            if (event.modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) return false;
            focusSelection();
            return true;
        case Qt::Key_Backspace:
            goBack();
            return true;
        case Qt::Key_Left:
            if (alt) goBack();
            return alt;
        case Qt::Key_Right:
            if (alt) goForward();
            return alt;
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            if (event.modifiers() & Qt::ControlModifier) return false;
            panBy({0, (event.key() == Qt::Key_PageUp ? -page_share : page_share) * height()});
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBy(zoomStep, QRectF(rect()).center());
            return true;
        case Qt::Key_Minus:
            zoomBy(1 / zoomStep, QRectF(rect()).center());
            return true;
        default:
            return false;
    }
}

bool GraphView::boxKey(const QKeyEvent& event) {
    const bool control = event.modifiers() & Qt::ControlModifier;
    const bool plain = (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (control && event.key() == Qt::Key_Down && current_ != no_box && model_.tree().has_children(current_)) {
        select(model_.tree().box(current_).first_child);
        return true;
    }
    if (control && event.key() == Qt::Key_Up && current_ != no_box) {
        if (const BoxId around = model_.tree().box(current_).parent; around != BoxTree::root) select(around);
        return true;
    }
    if (!plain) return false;
    switch (event.key()) {
        case Qt::Key_Left:
            stepTowards({-1, 0});
            return true;
        case Qt::Key_Right:
            stepTowards({1, 0});
            return true;
        case Qt::Key_Up:
            stepTowards({0, -1});
            return true;
        case Qt::Key_Down:
            stepTowards({0, 1});
            return true;
        case Qt::Key_Period:
        case Qt::Key_Comma:
            stepInOrder(event.key() == Qt::Key_Period ? 1 : -1);
            return true;
        case Qt::Key_BracketRight:
        case Qt::Key_BracketLeft:
            stepAlongData(event.key() == Qt::Key_BracketRight);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            toggle(current_);
            return current_ != no_box;
        case Qt::Key_Escape:
            if (press_ != Press::none) {
                press_ = Press::none;
                update();
                return true;
            }
            if (current_ == no_box) return false;
            select(no_box);
            return true;
        default:
            return false;
    }
}

void GraphView::stepTowards(QPointF direction) {
    const Arrangement& arrangement = model_.arrangement();
    if (arrangement.boxes.empty()) return;
    if (current_ == no_box) return select(arrangement.boxes.front().box);
    // Among its siblings first, then from the box around it.
    for (BoxId from = current_; from != BoxTree::root; from = model_.tree().box(from).parent) {
        const QRectF start = toQt(arrangement.find(from)->rect);
        const Box& around = model_.tree().box(model_.tree().box(from).parent);
        BoxId nearest = no_box;
        double least = 0;
        for (BoxId other = around.first_child; other < around.first_child + around.child_count; ++other) {
            if (other == from) continue;
            const QRectF end = toQt(arrangement.find(other)->rect);
            const QPointF away = end.topLeft() - start.topLeft();
            const bool across = direction.x() != 0;
            const double gap = across ? (direction.x() > 0 ? end.left() - start.right() : start.left() - end.right())
                                      : (direction.y() > 0 ? end.top() - start.bottom() : start.top() - end.bottom());
            if (gap < 0) continue;
            // What lies level with it is nearest, however high or wide boxes are.
            const double past = across ? std::max(end.top() - start.bottom(), start.top() - end.bottom())
                                       : std::max(end.left() - start.right(), start.left() - end.right());
            const double aside = std::max(0.0, past) + level_share * std::abs(across ? away.y() : away.x());
            const double distance = gap + 2 * aside;
            if (nearest != no_box && distance >= least) continue;
            nearest = other;
            least = distance;
        }
        if (nearest != no_box) return select(nearest);
    }
}

void GraphView::stepInOrder(int step) {
    if (current_ == no_box) return stepTowards({0, 1});
    const Box& around = model_.tree().box(model_.tree().box(current_).parent);
    const BoxId first = around.first_child, last = around.first_child + around.child_count - 1;
    if (current_ == (step > 0 ? last : first)) return;
    select(step > 0 ? current_ + 1 : current_ - 1);
}

void GraphView::stepAlongData(bool forward) {
    if (current_ == no_box) return;
    const BoxNeighbours neighbours = model_.neighbours(current_);
    const auto& flows = forward ? neighbours.outgoing : neighbours.incoming;
    const auto largest = std::max_element(flows.begin(), flows.end(),
                                          [](const LevelEdge& a, const LevelEdge& b) { return a.bytes < b.bytes; });
    if (largest != flows.end()) select(forward ? largest->to : largest->from);
}

void GraphView::stepMatch(int step) {
    const std::vector<BoxId>& matches = model_.filter().matches();
    if (matches.empty()) {
        if (!model_.search().isEmpty()) emit told(tr("Nothing in the graph matches \"%1\"").arg(model_.search()));
        return;
    }
    const auto at = std::find(matches.begin(), matches.end(), current_);
    const auto count = static_cast<std::ptrdiff_t>(matches.size());
    const std::ptrdiff_t next =
        at == matches.end() ? (step > 0 ? 0 : count - 1) : (at - matches.begin() + step + count) % count;
    select(matches[static_cast<std::size_t>(next)]);
    match_told_ = true;
    emit told(tr("Match %1 of %2").arg(next + 1).arg(count));
}

void GraphView::endMatches() {
    if (std::exchange(match_told_, false)) emit told({});
}

}  // namespace overlap::ui
