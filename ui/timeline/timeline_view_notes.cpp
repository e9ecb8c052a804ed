// Notes and bookmarks, and the list of what is alive at a moment; a part of TimelineView.
#include <QKeyEvent>
#include <algorithm>

#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void TimelineView::listNotes() {
    notes_.list();
}

void TimelineView::startNote() {
    TimelineNote note;
    if (measurement_.range()) {
        note.time = *measurement_.range();
    } else if (selection_.valid()) {
        const auto name = scene_.timeline->event_name(selection_);
        note.event = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        note.time = scene_.timeline->event(selection_);
    } else {
        const bool inside = pointer_ && pointer_->x() >= scene_.geometry.lanes.left();
        const std::int64_t time =
            inside ? scene_.timeAt(pointer_->x()) : scene_.range.begin_ns + scene_.range.length_ns() / 2;
        note.time = {time, time};
    }
    notes_.write(note);
}

void TimelineView::showNote(const PlacedNote& place) {
    if (place.location.valid()) return selectEvent(place.location);
    const std::int64_t middle = place.time.begin_ns + place.time.length_ns() / 2;
    const std::int64_t length = std::max(scene_.range.length_ns(), place.time.length_ns());
    changeRange({middle - length / 2, middle - length / 2 + length}, ViewHistory::Motion::Jump);
    if (place.time.length_ns() > 0) measurement_.measure(place.time);
    repaint_.request();
}

void TimelineView::setAliveProvider(AliveAtMoment::Provider provider) {
    alive_.setProvider(std::move(provider));
}

void TimelineView::showAlive(std::int64_t time_ns) {
    alive_.show(time_ns);
}

/// Without a selection, where most is alive.
void TimelineView::showAliveAtSelection() {
    const MemoryCurve& curve = scene_.timeline->memory();
    if (curve.empty()) return;
    alive_.show(selection_.valid() ? scene_.timeline->event(selection_).begin_ns
                                   : curve.time_ns[scene_.timeline->memory_peak()]);
}

bool TimelineView::noteKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_N:
            startNote();
            return true;
        case Qt::Key_B:
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
