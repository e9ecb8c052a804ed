// What the mouse and its wheel do; a part of TimelineView.
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr double wheelZoom = 0.8;      ///< factor for one notch
constexpr double wheelPan = 0.1;       ///< share of the range for one notch
constexpr double notch = 120;          ///< QWheelEvent's eighths of a degree
constexpr double pixelsPerNotch = 60;  ///< of a touchpad
constexpr double fastTimes = 4;

/// Notches of the wheel, fractions included.
QPointF notches(const QWheelEvent& event) {
    if (!event.pixelDelta().isNull()) return QPointF(event.pixelDelta()) / pixelsPerNotch;
    return QPointF(event.angleDelta()) / notch;
}

}  // namespace

void TimelineView::zoom(double factor, double x) {
    const double pivot =
        std::clamp((x - scene_.geometry.lanes.left()) / std::max(1, scene_.geometry.lanes.width()), 0.0, 1.0);
    changeRange(zoomed(scene_.range, factor, pivot, scene_.timeline->range()), ViewHistory::Motion::Gliding);
}

void TimelineView::moveBy(double share) {
    changeRange(panned(scene_.range, share, scene_.timeline->range()), ViewHistory::Motion::Gliding);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPointF turned = notches(*event);
    // With Alt, some platforms turn the wheel's axis: whichever moved counts.
    const double either = turned.y() != 0 ? turned.y() : turned.x();
    const double times = event->modifiers() & Qt::AltModifier ? fastTimes : 1;
    if (event->modifiers() & Qt::ControlModifier) {
        zoom(std::pow(wheelZoom, either * times), event->position().x());
    } else if (event->modifiers() & Qt::ShiftModifier) {
        moveBy(-either * wheelPan * times);
    } else {
        const bool scrolls = verticalScrollBar()->maximum() > 0;
        const double sideways = turned.x() + (scrolls ? 0 : turned.y());
        if (sideways != 0) moveBy(-sideways * wheelPan * times);
        const int step = static_cast<int>(std::lround(turned.y() * 2 * verticalScrollBar()->singleStep()));
        verticalScrollBar()->setValue(verticalScrollBar()->value() - step);
    }
    hover(event->position());
    event->accept();
}

/// The lane whose title is under the pointer, or -1.
int TimelineView::hoveredLane() const {
    if (!pointer_ || pointer_->x() >= scene_.geometry.labelWidth || drag_.active()) return -1;
    return scene_.geometry.laneAt(static_cast<int>(pointer_->y()));
}

void TimelineView::hover(QPointF position) {
    QRegion changed = pointerRegion(scene_.geometry, pointer_);
    const int laneBefore = hoveredLane();
    pointer_ = position;
    changed += pointerRegion(scene_.geometry, pointer_);
    for (const int lane : {laneBefore, hoveredLane()}) {  // its buttons come and go
        if (lane >= 0) changed += scene_.geometry.row(static_cast<std::uint32_t>(lane));
    }
    const EventLocation now = !drag_.active() ? scene_.eventAt(position) : EventLocation{};
    if (now != hovered_) {
        for (const EventLocation location : {hovered_, now}) {
            if (location.valid()) changed += scene_.eventRect(location).toAlignedRect().adjusted(-2, -2, 2, 2);
        }
        hovered_ = now;
    }
    const bool is_answered = !drag_.active() && (isOnPeak(position) || isOnLimit(position));
    const Qt::CursorShape shape = is_answered ? Qt::PointingHandCursor : cursorAt(scene_, drag_.kind(), position);
    if (viewport()->cursor().shape() != shape) viewport()->setCursor(shape);
    repaint_.request(changed);
}

void TimelineView::unhover() {
    if (!pointer_) return;
    QRegion changed = pointerRegion(scene_.geometry, pointer_);
    if (const int lane = hoveredLane(); lane >= 0) changed += scene_.geometry.row(static_cast<std::uint32_t>(lane));
    if (hovered_.valid()) changed += scene_.eventRect(hovered_).toAlignedRect().adjusted(-2, -2, 2, 2);
    pointer_.reset();
    hovered_ = {};
    repaint_.request(changed);
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    const bool marquee = event->button() == Qt::LeftButton && (event->modifiers() & Qt::AltModifier);
    const bool chooses =
        event->button() == Qt::LeftButton && (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
    if (event->button() == Qt::MiddleButton && isInTime(position)) {
        drag_.pressPan(scene_, position);
        dragBegan();
    } else if (marquee && isInTime(position)) {
        drag_.pressMarquee(scene_, position);
        dragBegan();
    } else if (chooses && (scene_.geometry.lanes.contains(position.toPoint()) ||
                           scene_.geometry.memory.contains(position.toPoint()))) {
        chosen_.beginBand();
        drag_.pressBand(scene_, position);
        dragBegan();
    } else if (event->button() == Qt::LeftButton) {
        press(position);
    } else if (event->button() == Qt::BackButton) {
        goBack();
    } else if (event->button() == Qt::ForwardButton) {
        goForward();
    }
    event->accept();
}

/// Whether events or the memory curve are drawn at `position`.
bool TimelineView::isInTime(QPointF position) const {
    return position.x() >= scene_.geometry.lanes.left() && position.y() > scene_.geometry.ruler.bottom();
}

void TimelineView::press(QPointF position) {
    if (scene_.geometry.ruler.contains(position.toPoint())) return pressRuler(position);
    if (scene_.geometry.overview.contains(position.toPoint())) return pressOverview(position);
    if (isInTime(position)) {
        drag_.press(scene_, position);
        return dragBegan();
    }
    if (position.y() <= scene_.geometry.ruler.bottom()) return;  // title and caption: no place beside the events
    const int lane = scene_.geometry.laneAt(static_cast<int>(position.y()));
    if (lane < 0) return select({}, true);
    pressLane(static_cast<std::uint32_t>(lane), position);
}

void TimelineView::pressRuler(QPointF position) {
    if (const int note = notes_.at(position); note >= 0) return notes_.goTo(note);
    if (!drag_.pressRuler(scene_, measurement_.range(), position)) measurement_.measure(std::nullopt);
    dragBegan();
}

void TimelineView::pressOverview(QPointF position) {
    history_.leaving(scene_.range, ViewHistory::Motion::Jump);
    if (overviewEdgeAt(scene_, position) == OverviewEdge::None && !scene_.overviewRange().contains(position)) {
        const std::int64_t begin = scene_.overviewTimeAt(position.x()) - scene_.range.length_ns() / 2;
        showRange(clamped({begin, begin + scene_.range.length_ns()}, scene_.timeline->range()));
    }
    drag_.pressOverview(scene_, position);
    dragBegan();
}

void TimelineView::pressLane(std::uint32_t lane, QPointF position) {
    switch (laneButtonAt(scene_.geometry, lane, position)) {
        case LaneButton::Pin:
            return togglePinned(lane);
        case LaneButton::Collapse:
            return toggleCollapsed(lane);
        case LaneButton::None:
            drag_.pressLane(scene_, lane, position);
            dragBegan();
    }
}

void TimelineView::dragBegan() {
    QToolTip::hideText();
    repaint_.request();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (drag_.active()) continueDrag(event->position());
    hover(event->position());
}

void TimelineView::continueDrag(QPointF position) {
    drag_.move(position);
    if (drag_.kind() == PointerDrag::Kind::Press) {
        if (!drag_.isFar()) return;
        drag_.become(eventDrag_.begin(drag_.start(), chosen_) ? PointerDrag::Kind::Event : PointerDrag::Kind::Pan);
    }
    if (drag_.kind() == PointerDrag::Kind::Pan) return changeRange(drag_.range(scene_), ViewHistory::Motion::Gliding);
    if (drag_.movesView()) return showRange(drag_.range(scene_));
    const bool measures = drag_.kind() == PointerDrag::Kind::Measure;
    if (measures && (measurement_.range() || drag_.width_px() >= 2)) measurement_.measure(drag_.span(scene_));
    if (drag_.kind() == PointerDrag::Kind::Band && drag_.isFar()) {
        const QRectF band = drag_.band();
        drag_.isOfTime() ? chosen_.chooseDuring(scene_, {scene_.timeAt(band.left()), scene_.timeAt(band.right())})
                         : chosen_.chooseIn(scene_, band);
        describe();
    }
    if (drag_.kind() == PointerDrag::Kind::Event) {
        eventDrag_.move(position);
        setAccessibleDescription(eventDrag_.words());
    }
    repaint_.request();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const bool dragged = drag_.active();
    if (dragged) finishDrag(event->position());
    hover(event->position());
    if (dragged) emit dragEnded();
}

void TimelineView::finishDrag(QPointF position) {
    if (drag_.kind() == PointerDrag::Kind::Event) return finishEventDrag(true);
    drag_.move(position);
    const PointerDrag::Kind finished = drag_.kind();
    drag_.end();
    if (finished == PointerDrag::Kind::Lane) dropLane();
    if (finished == PointerDrag::Kind::Press) click(position);
    if (finished == PointerDrag::Kind::Band && !drag_.isFar()) {
        const bool of_memory = scene_.geometry.memory.contains(position.toPoint());
        of_memory ? click(position) : choose(scene_.eventAt(position));
    }
    if (finished == PointerDrag::Kind::Marquee && drag_.width_px() >= 3)
        changeRange(drag_.span(scene_), ViewHistory::Motion::Jump);
    repaint_.request();
}

void TimelineView::dropLane() {
    if (!drag_.isFar()) return;
    edits_->arrange(tr("move %1").arg(laneKeys(*scene_.timeline).value(static_cast<qsizetype>(drag_.lane()))),
                    withLaneMoved(edits_->lanes(), *scene_.timeline, drag_.lane(),
                                  laneDropPlaceAt(scene_, drag_.position()).before));
}

void TimelineView::finishEventDrag(bool dropped) {
    drag_.end();
    describe();
    dropped ? eventDrag_.drop() : eventDrag_.cancel();
    repaint_.request();
}

void TimelineView::click(QPointF position) {
    if (isOnLimit(position)) {
        editMemoryLimit();
    } else if (scene_.geometry.memory.contains(position.toPoint())) {
        showAliveAt(position);
    } else {
        chosen_.clear();
        select(scene_.eventAt(position), true);
    }
}

/// Adds the event to those that are dragged together, or leaves it out; the selected one is the first of them.
void TimelineView::choose(EventLocation location) {
    if (!location.valid()) return;
    chosen_.toggle(*scene_.timeline, location, selection_);
    select(location, true);
}

void TimelineView::cancelDrag() {
    if (drag_.kind() == PointerDrag::Kind::Event) return finishEventDrag(false);
    if (drag_.movesView()) showRange(drag_.rangeBefore());
    if (drag_.kind() == PointerDrag::Kind::Measure) measurement_.measure(std::nullopt);
    if (drag_.kind() == PointerDrag::Kind::Band) chosen_.cancelBand();
    drag_.end();
    describe();
    repaint_.request();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (scene_.geometry.overview.contains(event->position().toPoint())) return fitAll();
    if (const int note = notes_.at(event->position()); note >= 0) return notes_.edit(note);
    const EventLocation location = scene_.eventAt(event->position());
    if (!location.valid()) return;
    select(location, true);
    const TimeRange span = scene_.timeline->event(location);
    const std::int64_t margin = span.length_ns() / 20;
    changeRange({span.begin_ns - margin, span.end_ns + margin}, ViewHistory::Motion::Jump);
}

}  // namespace overlap::ui
