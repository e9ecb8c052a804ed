// Notes and bookmarks, and the list of what is alive at a moment; a part of TimelineView.
#include <QKeyEvent>
#include <algorithm>

#include "ui/timeline/alive_panel.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr int highestAlive = 480;
constexpr int aliveWidth = 640;

}  // namespace

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

void TimelineView::setAliveProvider(std::function<AliveTensors(std::size_t point)> provider) {
    aliveProvider_ = std::move(provider);
}

void TimelineView::showAlive(std::int64_t time_ns) {
    const MemoryCurve& curve = scene_.timeline->memory();
    if (!aliveProvider_ || curve.empty()) return;
    const auto after = std::ranges::upper_bound(curve.time_ns, time_ns) - curve.time_ns.begin();
    const auto point = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
    if (!alivePanel_) {
        alivePanel_ = new AlivePanel(this);
        connect(alivePanel_, &AlivePanel::chosen, this, [this](quint32 reference) {
            const EventLocation location = anchorOf(*scene_.timeline, reference);
            if (!location.valid()) return emit eventSelected(reference, -1);
            selectEvent(location);
        });
        connect(alivePanel_, &AlivePanel::closed, this, [this] {
            aliveTime_.reset();
            setFocus();
            repaint_.request();
        });
    }
    aliveTime_ = time_ns;
    alivePanel_->showTensors(aliveProvider_(point), momentText(time_ns, scene_.axis()));
    placeAlivePanel();
    alivePanel_->setFocus();
    repaint_.request();
}

/// Beside the moment rather than upon it, from below to above, as high as there is room: the list is long.
void TimelineView::placeAlivePanel() {
    if (!alivePanel_ || !aliveTime_) return;
    const int left = scene_.geometry.lanes.left() + 8;
    const int width = std::min(aliveWidth, std::max(240, viewport()->width() - left - 8));
    const int bottom = viewport()->height() - 8;
    const int height = std::clamp(bottom - scene_.geometry.ruler.bottom() - 8, 96, highestAlive);
    const double x = scene_.xOf(*aliveTime_);
    const int beside = static_cast<int>(x) + 12 + width <= viewport()->width() ? static_cast<int>(x) + 12
                                                                               : static_cast<int>(x) - 12 - width;
    alivePanel_->setGeometry(std::clamp(beside, left, std::max(left, viewport()->width() - width - 8)),
                             std::max(0, bottom - height), width, height);
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
        case Qt::Key_M: {
            const MemoryCurve& curve = scene_.timeline->memory();
            if (curve.empty()) return true;
            showAlive(selection_.valid() ? scene_.timeline->event(selection_).begin_ns
                                         : curve.time_ns[scene_.timeline->memory_peak()]);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace overlap::ui
