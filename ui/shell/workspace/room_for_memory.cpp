#include "ui/shell/workspace/room_for_memory.h"

#include <QTimer>

#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

RoomForMemory::RoomForMemory(TimelineView& timeline, CentreTabs& centre, EnlargedPart& enlarged, QObject* parent)
    : QObject(parent), timeline_(timeline), centre_(centre), enlarged_(enlarged) {
    connect(&timeline, &TimelineView::roomWanted, this, &RoomForMemory::give);
}

void RoomForMemory::give(int height) {
    if (centre_.open() && centre_.hasRoomBelow(height)) return centre_.giveBelow(height);
    QWidget* middle = enlarged_.partOf(&timeline_);
    const bool hides = centre_.height() < height && !enlarged_.is(middle);
    if (hides) enlarged_.enlarge(middle);
    // The layout follows, here and below.
    QTimer::singleShot(0, this, [this, height, hides] {
        const bool closes = centre_.open() && !centre_.hasRoomBelow(height);
        if (closes) centre_.closeForRoom();
        // A view that is closed keeps its share for when it opens.
        if (centre_.open()) centre_.giveBelow(height);
        QTimer::singleShot(0, this, [this, hides, closes] { tell(hides, closes); });
    });
}

void RoomForMemory::tell(bool hides, bool closes) {
    QString hidden;
    if (hides && closes)
        hidden =
            tr("Panels are hidden, and the view above the timeline is closed; View, Enlarge this part, and View, "
               "Show views above the timeline, show them again");
    else if (hides)
        hidden = tr("Panels are hidden; View, Enlarge this part, shows them again");
    else if (closes)
        hidden = tr("The view above the timeline is closed; View, Show views above the timeline, opens it");
    const bool shown = !timeline_.geometryOfParts().memory.isEmpty();
    if (shown && hidden.isEmpty()) return;
    const QString sentence = shown ? hidden
                             : hidden.isEmpty()
                                 ? tr("The window is too low for the memory curve")
                                 : tr("%1; the window is too low for the memory curve all the same").arg(hidden);
    emit told(sentence);
}

}  // namespace overlap::ui
