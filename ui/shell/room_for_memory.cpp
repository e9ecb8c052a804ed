#include "ui/shell/room_for_memory.h"

#include <QTimer>

#include "ui/frame/centre_tabs.h"
#include "ui/frame/enlarged_part.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

RoomForMemory::RoomForMemory(TimelineView& timeline, CentreTabs& centre, EnlargedPart& enlarged, QObject* parent)
    : QObject(parent), timeline_(timeline), centre_(centre), enlarged_(enlarged) {
    connect(&timeline, &TimelineView::roomWanted, this, &RoomForMemory::give);
}

void RoomForMemory::give(int height) {
    if (centre_.open() && centre_.hasRoomBelow(height)) return centre_.giveBelow(height);
    QWidget* middle = enlarged_.partOf(&timeline_);
    if (centre_.height() >= height || enlarged_.is(middle)) return close();
    enlarged_.enlarge(middle);
    // The layout follows.
    QTimer::singleShot(0, this, [this, height] {
        if (centre_.open() && !centre_.hasRoomBelow(height)) return close();
        centre_.giveBelow(height);
        emit told(tr("Panels are hidden; View, Enlarge this part, shows them again"));
    });
}

void RoomForMemory::close() {
    const bool closes = centre_.open();
    centre_.setOpen(false);
    emit told(closes ? tr("The view above the timeline is closed; View, Show views above the timeline, opens it")
                     : tr("The window is too low for the memory curve"));
}

}  // namespace overlap::ui
