// The menus of lanes, events, notes and the ruler; a part of TimelineView.
#include <QContextMenuEvent>
#include <QMenu>

#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    QPointF position = event->pos();
    if (event->reason() == QContextMenuEvent::Keyboard && selection_.valid())
        position = scene_.eventRect(selection_).center();
    QMenu menu(this);
    const int lane = scene_.geometry.laneAt(static_cast<int>(position.y()));
    const int note = notes_.at(position);
    if (note >= 0) {
        addNoteItems(menu, note);
    } else if (lane >= 0 && position.x() < scene_.geometry.labelWidth) {
        addLaneItems(menu, static_cast<std::uint32_t>(lane));
    } else {
        const EventLocation location =
            event->reason() == QContextMenuEvent::Keyboard ? selection_ : scene_.eventAt(position);
        if (location.valid() && location != selection_) select(location, true);
        addEventItems(menu, location);
        if (scene_.geometry.memory.contains(position.toPoint())) addMemoryItems(menu, position);
    }
    menu.addSeparator();
    menu.addAction(tr("Find…\tCtrl+F"), this, &TimelineView::openFind);
    menu.addAction(tr("Fit all\t0"), this, &TimelineView::fitAll);
    menu.addAction(tr("Previous view\tBackspace"), this, &TimelineView::goBack)->setEnabled(history_.canGoBack());
    menu.addSeparator();
    menu.addAction(tr("Export visible range…"), this, [this] { emit exportWanted(true); });
    menu.addAction(tr("Export timeline…"), this, [this] { emit exportWanted(false); });
    menu.exec(event->reason() == QContextMenuEvent::Keyboard ? viewport()->mapToGlobal(position.toPoint())
                                                             : event->globalPos());
}

void TimelineView::addMemoryItems(QMenu& menu, QPointF position) {
    menu.addAction(isOnPeak(position) ? tr("What is alive at the peak") : tr("What is alive here"), this,
                   [this, position] { showAliveAt(position); })
        ->setEnabled(alive_.canShow());
    menu.addAction(tr("Limit of the peak…"), this, &TimelineView::editMemoryLimit)
        ->setEnabled(static_cast<bool>(limitNames_));
}

void TimelineView::addNoteItems(QMenu& menu, int note) {
    menu.addSection(noteTitle(edits_->notes()[static_cast<std::size_t>(note)]));
    menu.addAction(tr("Show"), this, [this, note] { notes_.goTo(note); });
    menu.addAction(tr("Edit note…"), this, [this, note] { notes_.edit(note); });
    menu.addAction(tr("Remove note"), this, [this, note] { notes_.remove(note); });
}

void TimelineView::addLaneItems(QMenu& menu, std::uint32_t lane) {
    const bool pinned = scene_.geometry.rows.rowOfLane[lane] < scene_.geometry.rows.pinned;
    const bool collapsed = scene_.geometry.rows.collapsed[lane];
    menu.addAction(pinned ? tr("Unpin\tP") : tr("Pin at the top\tP"), this, [this, lane] { togglePinned(lane); });
    menu.addAction(collapsed ? tr("Expand\tSpace") : tr("Collapse\tSpace"), this,
                   [this, lane] { toggleCollapsed(lane); });
    menu.addAction(tr("Move up\tAlt+Up"), this, [this, lane] { stepLanePlace(lane, -1); });
    menu.addAction(tr("Move down\tAlt+Down"), this, [this, lane] { stepLanePlace(lane, +1); });
    menu.addAction(tr("Lanes as at first"), this, [this] { edits_->arrange(tr("lanes as at first"), {}); })
        ->setEnabled(edits_->lanes() != LaneArrangement());
}

void TimelineView::addEventItems(QMenu& menu, EventLocation location) {
    if (location.valid()) {
        menu.addAction(tr("Focus\tF"), this, &TimelineView::focusSelection);
        menu.addAction(tr("Measure\tR"), this, &TimelineView::measureSelection);
        menu.addAction(tr("Go to producer\t["), this, [this] { followFlow(-1); });
        menu.addAction(tr("Go to first consumer\t]"), this, [this] { followFlow(+1); });
        menu.addAction(tr("What is alive at its start\tM"), this,
                       [this, location] { showAlive(scene_.timeline->event(location).begin_ns); })
            ->setEnabled(alive_.canShow());
    }
    menu.addAction(tr("Add note…\tN"), this, &TimelineView::startNote);
    menu.addAction(tr("All notes\tL"), this, &TimelineView::listNotes);
    menu.addAction(tr("Copy as text\tCtrl+C"), this, &TimelineView::copy)->setEnabled(!copyText().isEmpty());
    emit eventMenuAboutToShow(&menu, location.valid() ? scene_.timeline->reference(location) : no_reference);
}

}  // namespace overlap::ui
