// Dragging an event to another time; a part of TimelineView.
#include <QGuiApplication>

#include "ui/theme/harmless_text.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void TimelineView::setEventDragHandler(EventDragHandler handler) {
    dragHandler_ = std::move(handler);
}

/// @returns whether what was pressed is an event that can be dragged.
bool TimelineView::beginEventDrag() {
    const EventLocation pressed = scene_.eventAt(drag_.start());
    if (!pressed.valid() || !dragHandler_.begin) return false;
    if (scene_.timeline->lanes()[pressed.lane].description.kind != LaneKind::process_group) return false;
    grip_ = gripAt(*scene_.timeline, scene_.geometry, scene_.range, pressed, drag_.start());
    if (!dragHandler_.begin(scene_.timeline->reference(pressed), grip_.byEnd)) return false;
    return true;
}

EventDragPlace TimelineView::eventDragPlace() const {
    EventDragPlace place;
    place.time_ns = scene_.timeAt(drag_.position().x()) - grip_.offset_ns;
    place.modifiers = QGuiApplication::keyboardModifiers();
    place.global = viewport()->mapToGlobal(drag_.position().toPoint());
    const EventLocation under = scene_.eventAt(drag_.position());
    if (under.valid() && scene_.timeline->reference(under) != scene_.timeline->reference(grip_.event))
        place.under = scene_.timeline->reference(under);
    return place;
}

void TimelineView::moveEventDrag() {
    dragAnswer_ = dragHandler_.ask(eventDragPlace());
    const QString told = QStringList({dragAnswer_.wish, dragAnswer_.refusal, dragAnswer_.effects.join(u", ")})
                             .join(QStringLiteral(". "));
    setAccessibleDescription(shownName(told));
}

void TimelineView::finishEventDrag(bool dropped) {
    drag_.end();
    describe();
    dropped ? dragHandler_.drop(eventDragPlace()) : dragHandler_.cancel();
    repaint_.request();
}

}  // namespace overlap::ui
