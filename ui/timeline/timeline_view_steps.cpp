// Walking from event to event by what they mean, and measuring and copying what was found; a part of TimelineView.
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <algorithm>

#include "core/timeline/event_search.h"
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
    const std::vector<EventLocation> ranked = most_exposed_events(*scene_.timeline);
    if (ranked.empty()) return;
    const auto count = static_cast<std::ptrdiff_t>(ranked.size());
    const auto found = std::ranges::find(ranked, selection_);
    const std::ptrdiff_t current = found - ranked.begin();
    const std::ptrdiff_t next = found == ranked.end() ? (step > 0 ? 0 : count - 1) : (current + step + count) % count;
    selectEvent(ranked[static_cast<std::size_t>(next)]);
}

void TimelineView::followFlow(int step) {
    for (const TimelineArrow& arrow : arrows_) {
        if ((step > 0 ? arrow.from : arrow.to) != selectedReference_) continue;
        const EventLocation next = anchorOf(*scene_.timeline, step > 0 ? arrow.to : arrow.from);
        if (!next.valid()) continue;
        return selectEvent(next);
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
