// What keys do; a part of TimelineView.
#include <QKeyEvent>

#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void TimelineView::glide(const HeldKeys::Motion& motion) {
    const QRect lanes = scene_.geometry.lanes;
    const double x = pointer_ && pointer_->x() >= lanes.left() ? pointer_->x() : lanes.left() + lanes.width() / 2.0;
    if (motion.zoom != 1) zoom(motion.zoom, x);
    if (motion.pan != 0) moveBy(motion.pan);
}

bool TimelineView::useKey(const QKeyEvent& event) {
    const bool alt = event.modifiers() & Qt::AltModifier;
    if (alt && event.key() == Qt::Key_Left) {
        goBack();
        return true;
    }
    if (alt && event.key() == Qt::Key_Right) {
        goForward();
        return true;
    }
    return keys_.press(event) || stepKey(event);
}

void TimelineView::releaseKey(const QKeyEvent& event) {
    keys_.release(event);
}

void TimelineView::stopKeys() {
    keys_.stop();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (useKey(*event)) return event->accept();
    QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::keyReleaseEvent(QKeyEvent* event) {
    if (event->isAutoRepeat()) return;
    releaseKey(*event);
    QAbstractScrollArea::keyReleaseEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    repaint_.request(scene_.geometry.header);
    QAbstractScrollArea::focusInEvent(event);
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    keys_.stop();
    repaint_.request(scene_.geometry.header);
    QAbstractScrollArea::focusOutEvent(event);
}

bool TimelineView::stepKey(const QKeyEvent& event) {
    if (event.matches(QKeySequence::Find) || event.key() == Qt::Key_Slash) {
        openFind();
        return true;
    }
    if (event.matches(QKeySequence::Copy)) {
        copy();
        return true;
    }
    if (event.modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) return false;
    return laneKey(event) || taskKey(event) || noteKey(event) || rangeKey(event) || selectionKey(event);
}

bool TimelineView::rangeKey(const QKeyEvent& event) {
    const TimeRange all = scene_.timeline->range();
    const std::int64_t length = scene_.range.length_ns();
    switch (event.key()) {
        case Qt::Key_F:
            focusSelection();
            return true;
        case Qt::Key_0:
            fitAll();
            return true;
        case Qt::Key_Backspace:
            goBack();
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            glide(HeldKeys::stepOf(HeldKeys::ZoomIn, false));
            return true;
        case Qt::Key_Minus:
            glide(HeldKeys::stepOf(HeldKeys::ZoomOut, false));
            return true;
        case Qt::Key_Home:
            changeRange({all.begin_ns, all.begin_ns + length}, ViewHistory::Motion::Jump);
            return true;
        case Qt::Key_End:
            changeRange({all.end_ns - length, all.end_ns}, ViewHistory::Motion::Jump);
            return true;
        default:
            return false;
    }
}

bool TimelineView::selectionKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Period:
            stepEvent(+1);
            return true;
        case Qt::Key_Comma:
            stepEvent(-1);
            return true;
        case Qt::Key_Up:
            stepLane(-1);
            return true;
        case Qt::Key_Down:
            stepLane(+1);
            return true;
        case Qt::Key_Escape:
            return letGo();
        default:
            return false;
    }
}

/// One thing at a time: the drag, then the measurement, the moment of which is listed what is alive, what is chosen,
/// the selection.
/// @returns whether there was one.
bool TimelineView::letGo() {
    if (drag_.active()) {
        cancelDrag();
        emit dragEnded();
    } else if (measurement_.range()) {
        clearMeasurement();
    } else if (alive_.time_ns()) {
        alive_.forget();
    } else if (!chosen_.references().empty()) {
        chooseReferences({});
    } else if (selection_.valid()) {
        select({}, true);
    } else {
        return false;
    }
    return true;
}

/// The lane that keys are about: the one whose title is under the pointer, else the selection's.
std::optional<std::uint32_t> TimelineView::laneForKeys() const {
    if (const int lane = hoveredLane(); lane >= 0) return static_cast<std::uint32_t>(lane);
    if (selection_.valid()) return selection_.lane;
    return std::nullopt;
}

bool TimelineView::laneKey(const QKeyEvent& event) {
    const auto lane = laneForKeys();
    if (!lane) return false;
    const bool alt = event.modifiers() & Qt::AltModifier;
    switch (event.key()) {
        case Qt::Key_P:
            togglePinned(*lane);
            return true;
        case Qt::Key_Space:
            toggleCollapsed(*lane);
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            if (!alt) return false;
            stepLanePlace(*lane, event.key() == Qt::Key_Up ? -1 : 1);
            return true;
        default:
            return false;
    }
}

bool TimelineView::taskKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_E:
            selectMostExposed(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_R:
            measureSelection();
            return true;
        case Qt::Key_C:
            if (const auto before = chosen_.references(); choose(selection_), chosen_.references() == before)
                emit told(tr("Select a collective that can be moved first: C chooses it"));
            return true;
        case Qt::Key_BracketRight:
            followFlow(+1);
            return true;
        case Qt::Key_BracketLeft:
            followFlow(-1);
            return true;
        default:
            return false;
    }
}

bool TimelineView::noteKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_N:
            startNote();
            return true;
        case Qt::Key_B:
            if (edits_->notes().empty()) emit told(tr("There is no note to go to: N writes one"));
            notes_.step(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_L:
            listNotes();
            return true;
        case Qt::Key_M:
            showAliveAtSelection();
            return true;
        default:
            return false;
    }
}

}  // namespace overlap::ui
