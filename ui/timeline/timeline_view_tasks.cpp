// What keys and menus ask for: steps, notes, measuring, copying, the order of lanes; a part of TimelineView.
#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/event_steps.h"
#include "ui/timeline/memory_limit_editor.h"
#include "ui/timeline/range_measurement.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Selects what a step leads to; where it leads to nothing, the selection stays.
void TimelineView::goTo(EventLocation location) {
    if (location.valid()) selectEvent(location);
}

void TimelineView::stepEvent(int step) {
    if (!selection_.valid()) return stepLane(0);
    goTo(steppedInLane(*scene_.timeline, selection_, step));
}

void TimelineView::stepLane(int step) {
    goTo(steppedAcrossLanes(*scene_.timeline, scene_.geometry.rows, scene_.range, selection_, step));
}

void TimelineView::selectMostExposed(int step) {
    const bool goesOn = selection_.valid() && selection_ == steppedTo_;
    const EventLocation next = steppedByExposure(*scene_.timeline, goesOn ? selection_ : EventLocation{}, step);
    if (!next.valid()) return emit told(tr("Compute waits for nothing here: no collective is exposed"));
    goTo(next);
    steppedTo_ = selection_;
}

void TimelineView::followFlow(int step) {
    const EventLocation next = steppedAlongFlow(*scene_.timeline, arrows_, selectedReference_, step);
    if (next.valid()) return goTo(next);
    emit told(!selection_.valid() ? tr("Select an event first: ] and [ follow its arrows")
              : step > 0          ? tr("No arrow leads on from what is selected")
                                  : tr("No arrow leads to what is selected"));
}

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

void TimelineView::listNotes() {
    notes_.list();
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

void TimelineView::showAliveAtPeak() {
    alive_.showPeak();
}

void TimelineView::setAliveSeen(bool seen) {
    alive_.setSeen(seen);
}

void TimelineView::listAliveAgain() {
    alive_.listAgain();
}

/// Of the memory curve at `position`: a click on the dot means the peak, which may be narrower than a pixel.
void TimelineView::showAliveAt(QPointF position) {
    isOnPeak(position) ? alive_.showPeak() : alive_.show(scene_.timeAt(position.x()));
}

bool TimelineView::isOnPeak(QPointF position) const {
    constexpr double reach = 6;
    if (!alive_.canShow()) return false;
    const auto dot = memoryPeakPlace(scene_.geometry, *scene_.timeline, scene_.range, memoryLimit_);
    return dot && std::hypot(position.x() - dot->x(), position.y() - dot->y()) <= reach;
}

void TimelineView::setLimitNames(std::function<std::vector<NamedBytes>()> names, std::function<QString()> typed) {
    limitNames_ = std::move(names);
    limitTyped_ = std::move(typed);
}

bool TimelineView::isOnLimit(QPointF position) const {
    const auto plate = memoryLimitPlate(scene_.geometry, *scene_.timeline, memoryLimit_);
    return limitNames_ && plate && plate->contains(position);
}

void TimelineView::editMemoryLimit() {
    const QRect& area = scene_.geometry.memory;
    if (!limitNames_ || area.isEmpty()) return;
    const QRectF top_right(area.right(), area.top(), 1, 1);
    const auto plate = memoryLimitPlate(scene_.geometry, *scene_.timeline, memoryLimit_);
    limitEditor_->open(plate.value_or(top_right).toAlignedRect(), area, memoryLimit_, limitNames_(),
                       limitTyped_ ? limitTyped_() : QString());
}

void TimelineView::selectAllocator(quint32 reference) {
    const EventLocation location = anchorOf(*scene_.timeline, reference);
    if (!location.valid()) return emit eventSelected(reference, -1);
    selectEvent(location);
}

/// Without a selection, where most is alive.
void TimelineView::showAliveAtSelection() {
    if (!alive_.canShow()) return emit told(tr("What is alive is not known of this timeline"));
    selection_.valid() ? alive_.show(scene_.timeline->event(selection_).begin_ns) : alive_.showPeak();
}

void TimelineView::togglePinned(std::uint32_t lane) {
    LaneArrangement lanes = edits_->lanes();
    const QString key = laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane));
    lanes.pinned = toggled(lanes.pinned, key);
    edits_->arrange(lanes.pinned.contains(key) ? tr("pin %1").arg(key) : tr("unpin %1").arg(key), lanes);
}

void TimelineView::toggleCollapsed(std::uint32_t lane) {
    LaneArrangement lanes = edits_->lanes();
    const QString key = laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane));
    lanes.collapsed = toggled(lanes.collapsed, key);
    edits_->arrange(lanes.collapsed.contains(key) ? tr("collapse %1").arg(key) : tr("expand %1").arg(key), lanes);
}

void TimelineView::stepLanePlace(std::uint32_t lane, int step) {
    edits_->arrange(tr("move %1").arg(laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane))),
                    withLaneStepped(edits_->lanes(), *scene_.timeline, lane, step));
}

}  // namespace overlap::ui
