// Walking from event to event by what they mean, and measuring and copying what was found; a part of TimelineView.
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

#include "ui/timeline/event_steps.h"
#include "ui/timeline/measurement.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void TimelineView::measureSelection() {
    measurement_.measure(selection_.valid() ? scene_.timeline->event(selection_) : scene_.range);
    repaint_.request();
}

QString TimelineView::copyText() const {
    if (measurement_.range()) return measurement_.table();
    if (selection_.valid()) return eventTable(*scene_.timeline, selection_);
    return {};
}

void TimelineView::copy() const {
    if (const QString text = copyText(); !text.isEmpty()) QGuiApplication::clipboard()->setText(text);
}

void TimelineView::selectMostExposed(int step) {
    goTo(steppedByExposure(*scene_.timeline, selection_, step));
}

void TimelineView::followFlow(int step) {
    goTo(steppedAlongFlow(*scene_.timeline, arrows_, selectedReference_, step));
}

bool TimelineView::taskKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_E:
            selectMostExposed(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_R:
            measureSelection();
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

}  // namespace overlap::ui
